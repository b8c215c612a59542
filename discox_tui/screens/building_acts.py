"""Acts of building in words: what was undone, what was done again, and on which candidate."""

from __future__ import annotations

from typing import NamedTuple

from discox_tui.build_session import Act, BuildSession
from storage.building_events import BuildEvent


class Done(NamedTuple):
    """What undo or redo did, in words, and the candidate that it was about ("": none, or many)."""

    key: str
    words: str


def undo(building: BuildSession) -> Done:
    """Take back the latest act."""
    return _done(building, building.undo(), "Undid", "There is nothing left to undo.")


def redo(building: BuildSession) -> Done:
    """Do again what was taken back last."""
    return _done(building, building.redo(), "Did again", "There is nothing to do again.")


def _done(building: BuildSession, act: Act | None, did: str, nothing: str) -> Done:
    if act is None:
        return Done("", nothing)
    key = building.key_of(act)
    return Done(key, f"{did}: {words(act)}{f' ({key})' if key else ''}")


def words(act: Act) -> str:
    """An act in words."""
    if not isinstance(act, BuildEvent):
        return "your word on a rubric point"
    said = act.changes
    match act.kind:
        case "revised":
            return f"another version, {said['note']}" if said.get("note") else "another version"
        case "decided" | "settled":
            verb = {"accept": "accepted", "reject": "rejected"}.get(said["decision"], "undecided")
            return f"settled as {verb}" if act.kind == "settled" else verb
        case "checked_off":
            return f"a finding is all right: {said.get('why', '')}"
        case "assigned":
            return "who is to decide on which"
        case "filtered":
            return "the filter"
        case kind:
            return f"the {kind}"
