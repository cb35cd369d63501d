"""What a study asks about one kind of predictions, and what it hides until the answer."""
