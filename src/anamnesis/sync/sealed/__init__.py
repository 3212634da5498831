"""A remote that sees only ciphertext: encrypted, signed packs over plain git.

docs/formats/sealed.md has the format.
"""
