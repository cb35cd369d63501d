"""Find out how good an AI's answers really are: review blind, measure with intervals, export."""

__version__ = "0.1.0"
