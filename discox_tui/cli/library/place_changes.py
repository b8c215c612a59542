"""Changes of places by locating errors anew, in words and as JSON: by the program's method and by a model's quotes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from discox_tui.text.counts import counted
from storage.record.grounding_changes import Changes


def change_lines(changed: Changes) -> Iterator[str]:
    """Yield what became of the places of evaluations that were located before; nothing where there are none."""
    if not changed.again:
        return
    before = ", ".join(f"{method} ({count:,})" for method, count in sorted(changed.earlier.items()))
    yield f"  {counted(changed.again, 'evaluation')} had been located before, by {before}. Of these:"
    yield (
        f"  {counted(changed.places_after, 'place')}, before {changed.places_before:,}: {changed.gained:,} gained, "
        f"{changed.lost:,} lost, {changed.moved:,} moved"
    )
    yield f"  certain (0.95 and more): {changed.certain_after:,}, before {changed.certain_before:,}"
    yield f"  quotes that occur nowhere: {changed.nowhere_after:,}, before {changed.nowhere_before:,}"


def changes_json(changed: Changes | None) -> dict[str, Any]:
    """Return the same as a JSON-able object; all null where it is hidden."""
    counts = asdict(changed or Changes())
    found = {
        "evaluations": changed and changed.evaluations,
        "first": counts.pop("first"),
        "again": changed and changed.again,
        **counts,
    }
    return found if changed is not None else dict.fromkeys(found)
