"""How often chance is drawn, and from which seed: what commands with intervals ask for alike."""

from __future__ import annotations

import argparse

from discox_tui.cli.output import fail

MOST_RESAMPLES = 100_000


def draws_of(options: argparse.Namespace) -> tuple[int, int] | None:
    """Return the resamples and the seed, the usual ones where none are asked for; None, and say so, out of range."""
    from judges.resampling import RESAMPLES, SEED

    resamples = RESAMPLES if options.resamples is None else options.resamples
    seed = SEED if options.seed is None else options.seed
    if seed >= 0 and RESAMPLES <= resamples <= MOST_RESAMPLES:
        return resamples, seed
    fail(f"--resamples takes {RESAMPLES:,} to {MOST_RESAMPLES:,}, --seed a number from 0")
    return None
