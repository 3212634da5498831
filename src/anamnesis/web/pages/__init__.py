"""The pages: each reads its request, calls one operation, and draws the answer."""
