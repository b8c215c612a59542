"""Commands on what a library holds: import, export, list, merge, backup, repair."""
