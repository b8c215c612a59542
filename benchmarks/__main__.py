"""``python -m benchmarks [NAME…] [--json]``: every promise of speed and size, measured now and held to its target."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from typing import Any

from benchmarks.figures import Figure, table
from benchmarks.process import python

NAMES = ("app", "library", "mqm", "review_log", "judging", "agreement", "audited", "serve")
OPTIONS = {
    "library": ("megabytes", "evaluations", "findings"),
    "judging": ("translations",),
}
"""Name → what else can be said on the command line of how much it is to measure."""


def measure(name: str, options: dict[str, Any]) -> list[Figure]:
    """Measure one part here."""
    figures: list[Figure] = importlib.import_module(f"benchmarks.{name}").measure(**options)
    return figures


def main() -> int:
    """Print the table; 1 if a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only some of: {', '.join(NAMES)}")
    parser.add_argument("--json", action="store_true", help="print JSON: name → figures")
    parser.add_argument("--megabytes", type=float, help="library: size of the one big result.json (100)")
    parser.add_argument("--evaluations", type=int, help="library: how many (4000), in the data set's official form")
    parser.add_argument("--findings", type=int, help="library: how many between them (120000)")
    parser.add_argument("--translations", type=int, help="judging: how many (4000) memory is to be flat over")
    options = parser.parse_args()
    if unknown := set(options.names) - set(NAMES):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    names = options.names or NAMES
    measured: dict[str, list[Figure]] = {}
    for name in names:
        own = {option: value for option in OPTIONS.get(name, ()) if (value := getattr(options, option))}
        if len(names) == 1:
            measured[name] = measure(name, own)
        else:  # each in a process of its own, so that none measures another's memory
            words = [word for option, value in own.items() for word in (f"--{option}", str(value))]
            measured[name] = json.loads(python("-m", "benchmarks", name, "--json", *words).output)[name]
        if not options.json:
            print(f"{name}\n{table(measured[name])}\n", flush=True)
    if options.json:
        print(json.dumps(measured, ensure_ascii=False, indent=1))
        return 0
    return int(any(each["ok"] is False for figures in measured.values() for each in figures))


if __name__ == "__main__":
    sys.exit(main())
