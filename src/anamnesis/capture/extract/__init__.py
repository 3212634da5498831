"""What a session note is made of, taken from a transcript without a model."""
