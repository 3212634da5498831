"""What a session note is made of, extracted from a transcript without a model."""
