"""The ``discox`` command. Imports as little as possible: ``--help`` and scripts must not wait for the app."""

from __future__ import annotations

import os
import sys

# A sum that several threads share depends, in its last digits, on how many there are; published figures must not.
for _variable in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

from discox_tui.cli.parser import run  # noqa: E402 - numpy reads the variables when it is first imported


def main() -> None:
    """Run the command line and exit with its code: 0 done, 1 could not, 2 wrong use."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
