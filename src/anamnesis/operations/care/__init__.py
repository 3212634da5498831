"""The store kept well: health, settings, upkeep."""
