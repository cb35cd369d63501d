"""Metrics: pure functions of counts and pairs. Imports numpy at most."""
