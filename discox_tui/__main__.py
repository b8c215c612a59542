"""The ``discox`` command. Imports as little as possible: ``--help`` and scripts must not wait for the app."""

from __future__ import annotations

import sys

from discox_tui.cli.parser import run


def main() -> None:
    """Run the command line and exit with its code: 0 done, 1 could not, 2 wrong use."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
