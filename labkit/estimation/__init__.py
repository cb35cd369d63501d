"""Estimates for all predictions from a sample of labels, each with an interval that holds."""
