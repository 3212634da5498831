"""Care of the store: health checks, status, evaluation."""
