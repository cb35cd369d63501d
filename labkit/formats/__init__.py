"""Foreign files in and out: one module a format."""
