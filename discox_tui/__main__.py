"""The ``discox`` command. Imports as little as possible: ``--help`` and scripts must not wait for the app."""

from __future__ import annotations

import os
import sys

_ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # noqa: PTH120 - pathlib takes its time

# `python -m` looks for modules in the user's folder first, where a storage.py may lie; so would every process that is
# started from here, without the variable.
if __name__ == "__main__" and not sys.flags.safe_path and os.path.realpath(sys.path[0]) != _ROOT:
    del sys.path[0]
os.environ.setdefault("PYTHONSAFEPATH", "1")

# A sum that several threads share depends, in its last digits, on how many there are; published figures must not.
for _variable in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

from collections.abc import Sequence  # noqa: E402 - only now is the user's folder out of the way
from importlib import import_module  # noqa: E402


def main() -> None:
    """Run the command line and exit with its code: 0 done, 1 could not, 2 wrong use."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its code; 1 where another package is installed in the place of one of ours."""
    for name in ("judges", "storage"):
        if not _is_ours(name):
            return _refuse(name)
    try:
        from discox_tui.cli import parser  # numpy, which reads the variables above, may be imported from here on

        return parser.run(arguments)
    except ImportError as error:  # another package has put its files among ours, or taken some along when it went
        name = (error.name or "").partition(".")[0]
        if name not in ("judges", "storage"):
            raise
        return _refuse(name)


def _is_ours(name: str) -> bool:
    """Return True if a package lies beside this one and was not written over by another's."""
    try:
        found = import_module(name)
    except (Exception, SystemExit):  # whatever another's package does
        return False
    file = os.path.realpath(found.__file__ or "")
    return getattr(found, "DISTRIBUTION", "") == "discox-tui" and file == os.path.join(_ROOT, name, "__init__.py")  # noqa: PTH118


def _refuse(name: str) -> int:
    from discox_tui.cli.core.output import fail

    found = getattr(sys.modules.get(name), "__file__", None)
    return fail(
        f"another package named {name} is installed where discox's own should be{f' ({found})' if found else ''}; "
        "install discox in an environment of its own: `uv tool install .` or `pipx install .` in its folder"
    )


if __name__ == "__main__":
    main()
