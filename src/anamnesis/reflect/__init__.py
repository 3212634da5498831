"""Durable knowledge out of session notes: proposals, their validation, and what they change."""
