"""Candidates as quotas, rates and agreement count them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from judges.building.filtering import State
from judges.building.selection import Decision, Shared, Standing
from storage.building import Candidate


def standing(each: Candidate, difficulty: State | None = None) -> Standing:
    """Return where a candidate stands; ``difficulty``: what the filter came to, None where it was under none."""
    said = each.settled or max(each.decisions.values(), key=lambda decided: decided.place, default=None)
    stage = said.stage if said and not each.settled else 3
    return Standing(each.direction, each.domain, each.subdomain, difficulty, each.outcome, stage)


def shared(chosen: Iterable[Candidate]) -> list[Shared]:
    """Return the candidates that several are to decide on, with what each said before anyone saw the others' decisions.

    Nothing of a candidate on which not all have decided yet.
    """
    return [
        Shared(
            each.key,
            tuple(each.independent) or each.assigned,
            {name: cast("Decision", said.decision) for name, said in each.independent.items()},
        )
        for each in chosen
        if each.overlap or each.independent
    ]
