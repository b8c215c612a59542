"""One screen a module: what it shows and what its keys do."""
