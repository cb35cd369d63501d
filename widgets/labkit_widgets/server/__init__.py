"""Starts the review app: a stand-alone Voila with one notebook, closed to everything else."""
