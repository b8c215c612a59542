"""The items that every format reads into, and their parts."""
