"""Imports: from the items of a file to rows of the database."""
