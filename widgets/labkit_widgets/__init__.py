"""The notebook side of labkit: the review card, live numbers and the app."""
