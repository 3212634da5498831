"""Notes kept worth having: reflect, review, dedup, merge, forget, import, export."""
