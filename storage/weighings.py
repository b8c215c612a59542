"""By what each error can be weighed, and what then reads judges' scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from storage.leaderboard import Reader

Weighing = Literal["votes", "validity"]
"""By the share of the judges, or samples, that found it; by how likely people let it stand."""


def reader_by(weighing: Weighing | None, *, audited: bool) -> Reader | None:
    """Return what reads judges' scores for a leaderboard, or an audited one; None where each error costs its all."""
    if weighing == "validity":
        from storage.by_validity import cross_fitted, gated

        return cross_fitted if audited else gated
    if weighing == "votes":
        from storage.weighing import by_votes

        return by_votes
    return None
