"""The pages: each reads the request, calls one operation, and renders the result."""
