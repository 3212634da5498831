"""The notes that a repository carries: checking, sharing, and what agents without hooks read."""
