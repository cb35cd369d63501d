"""Override files, the YAML that people own: read, resolved, edited in place."""
