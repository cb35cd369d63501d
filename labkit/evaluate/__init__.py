"""Evaluations: predictions against gold, one module a system's own rules."""
