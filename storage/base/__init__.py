"""Errors, ids, files and text, as every part of the store needs them."""
