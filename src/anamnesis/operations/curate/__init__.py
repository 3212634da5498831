"""Curation: reflect, review, dedup, merge, forget, import, export."""
