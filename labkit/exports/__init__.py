"""Vetted labels out: planned first, shown as a diff, then written whole or not at all."""

from labkit.exports.plan import FORMATS, Planned, export_to, plan_export, write

__all__ = ["FORMATS", "Planned", "export_to", "plan_export", "write"]
