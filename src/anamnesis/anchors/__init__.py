"""Anchors: what a note says of the code, tied to the block of code that it speaks of."""
