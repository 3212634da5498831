"""Layer 1: markdown notes, the source of truth."""
