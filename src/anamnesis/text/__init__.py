"""Texts as such: what they quote, how they may be shown."""
