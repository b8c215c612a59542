"""File formats, one module each; ``detect`` tells them apart and ``reading`` is the door to them."""
