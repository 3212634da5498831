"""One module for each command; none imports another."""
