"""Blinding: what a reviewer must not see yet, the judge's record in a blind pass, or only whose translation it is.

What is hidden is taken out here, at the border of the storage, so that no screen or export can show it. It goes by
translation, and by person: another judge's evaluation of the same translation is hidden with it, in all of a person's
layers, until the record of one of them has been shown in any layer; then it is hidden in none. As long as a translation
of an article is hidden, so are the names of all systems that translated it: what is left over would tell.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, get_args

from storage.log.events import LATEST_FIRST, readable
from storage.reviews.layers import PURPOSES, is_adjudicated, is_again, layers_of, split_layer

if TYPE_CHECKING:
    from judges.model import Flag
    from storage.record.library import StoredEvaluation
    from storage.reviews.events import Event

Blinding = Literal["open", "systems", "first"]
"""The choice of a reviewer what not to see. ``systems``: the names of systems. ``first``: so is all that the judge
said of what they have not opened yet, until it is revealed."""
BLINDINGS: tuple[Blinding, ...] = get_args(Blinding)

Unseen = Literal["nothing", "system", "judgement"]
"""The part of one evaluation that is hidden; ``judgement``: all that the judge said, and the system."""

HIDDEN = "hidden"
"""The text in the place of a name that is not to be seen."""

ANOTHER_EVALUATION = "another_evaluation"
"""The code of the flag whose message names the system."""

ASKED = "(SELECT *, ?1 AS blinding, ?2 AS layer FROM evaluations) e"
"""The evaluations as one layer asks for them, in SQL. The first two values of the query: the blinding, the layer."""

# Values by number, so that the conditions below need no other; none depends on ``e``, so each set is made once a query.
_BY_PURPOSE = (f"WHEN ?2 GLOB '?*:{each}' THEN substr(?2, 1, length(?2) - {len(each) + 1})" for each in PURPOSES)
_PERSON = f"CASE {' '.join(_BY_PURPOSE)} ELSE ?2 END"
_LAYERS = ", ".join((_PERSON, *(f"{_PERSON} || ':{each}'" for each in PURPOSES)))
_REVIEWED = "SELECT t.translation_id FROM reviews h JOIN evaluations t ON t.id = h.evaluation_id"
_SEEN = f"{_REVIEWED} WHERE h.reviewer IN ({_LAYERS}) AND h.blind IS NOT 'started'"
"""The translations of which they have seen a judge's record."""
_BEGUN = f"{_REVIEWED} WHERE h.reviewer IN ({_LAYERS}) AND h.blind = 'started'"
_TOLD = (
    "SELECT t.translation_id FROM assignments s JOIN evaluations t ON t.id = s.evaluation_id "
    f"WHERE s.reviewer = {_PERSON} AND s.blind EXCEPT {_SEEN}"
)
_JUDGED = "SELECT 1 FROM evaluations j WHERE j.translation_id = t.translation_id AND j.state <> 'not_judged'"
_PASSES = f"{_BEGUN} AND EXISTS ({_JUDGED}) UNION {_TOLD}"
"""The translations whose judgements are hidden whatever they choose: they began blind, or are told to. There is nothing
to hide of those that they passed over where no judge was asked."""

HIDDEN_CLAUSE = (
    f"(CASE ?1 WHEN 'first' THEN e.translation_id NOT IN ({_SEEN}) ELSE e.translation_id IN ({_PASSES}) END)"
)
"""The condition that the judge's record is hidden, in SQL on ``ASKED`` evaluations ``e``."""

SYSTEM_HIDDEN_CLAUSE = (
    f"(?1 <> 'open' OR e.article IN (SELECT n.article FROM evaluations n WHERE n.translation_id IN ({_PASSES})))"
)
"""The condition that the name of the system is hidden, likewise."""

SYSTEM_SHOWN = f"CASE WHEN {SYSTEM_HIDDEN_CLAUSE} THEN '{HIDDEN}' ELSE e.system END"
"""The name of the system, or what stands for it, likewise."""


OTHERS_HIDDEN_CLAUSE = f"({HIDDEN_CLAUSE} OR e.translation_id IN ({_BEGUN} EXCEPT {_SEEN}))"
"""The condition that what other people said is hidden, likewise: as long as a blind pass is not over, judged or not."""

_FURTHER = " OR ".join(f"o.reviewer GLOB '?*:{each}'" for each in PURPOSES)
_OF_OTHERS = f"o.reviewer NOT IN ({_LAYERS}) AND NOT ({_FURTHER}) AND (o.state = 'done' OR o.decided OR o.marked)"
OTHERS = (
    f"CASE WHEN {OTHERS_HIDDEN_CLAUSE} THEN 0 ELSE "
    f"(SELECT count(*) FROM reviews o WHERE o.evaluation_id = e.id AND {_OF_OTHERS}) END"
)
"""The number of others who have reviewed an evaluation, or begun to, likewise; none where the record is hidden."""


def blinding_of(connection: sqlite3.Connection, reviewer: str) -> Blinding:
    """Return what a reviewer, or whoever a layer belongs to, has chosen not to see."""
    row = connection.execute(_CHOICE, (split_layer(reviewer)[0],)).fetchone()
    return next((each for each in BLINDINGS if row and each == row[0]), "open")


_CHOICE = f"""
SELECT json_extract(changes, '$.blinding') FROM events
WHERE evaluation_id = '' AND reviewer = ? AND kind = 'hiding' AND {readable("events")} ORDER BY {LATEST_FIRST} LIMIT 1
"""


def choose_blinding(connection: sqlite3.Connection, reviewer: str, blinding: Blinding) -> None:
    """Record what a reviewer chooses not to see. What they began blind stays hidden until they reveal it."""
    if blinding_of(connection, reviewer) != blinding:
        from storage.reviews.review_log import ReviewLog  # a queue is read without it

        ReviewLog(connection, split_layer(reviewer)[0]).hide(blinding)


def unseen(connection: sqlite3.Connection, layer: str, evaluation_id: str, blinding: Blinding) -> Unseen:
    """Return what of an evaluation a layer must not see, or not yet.

    Who settles what others disagree about has their words before them, so that pass is not blind by choice.
    """
    if blinding == "first" and is_adjudicated(layer):
        blinding = "systems"
    row = connection.execute(
        f"SELECT {HIDDEN_CLAUSE}, {SYSTEM_HIDDEN_CLAUSE} FROM {ASKED} WHERE e.id = ?3", (blinding, layer, evaluation_id)
    ).fetchone()
    hidden, system = row or (False, blinding != "open")
    return "judgement" if hidden else "system" if system else "nothing"


def is_hidden(connection: sqlite3.Connection, layer: str, evaluation_id: str, blinding: Blinding) -> bool:
    """Return whether a layer must not see the judge's record of an evaluation, or not yet."""
    return unseen(connection, layer, evaluation_id, blinding) == "judgement"


def hides_others(connection: sqlite3.Connection, layer: str, evaluation_id: str, blinding: Blinding) -> bool:
    """Return whether a layer must not see what other people said of an evaluation, or not yet."""
    query = f"SELECT {OTHERS_HIDDEN_CLAUSE} FROM {ASKED} WHERE e.id = ?3"
    row = connection.execute(query, (blinding, layer, evaluation_id)).fetchone()
    return bool(row and row[0])


def others_at(
    connection: sqlite3.Connection, layer: str, evaluation_id: str, blinding: Blinding
) -> list[tuple[str, int]]:
    """Return what other people have reviewed an evaluation, or begun to, by name → how many errors each marked.

    Nobody where others' word is hidden from the layer.
    """
    if hides_others(connection, layer, evaluation_id, blinding):
        return []
    rows = connection.execute(
        f"SELECT o.reviewer, o.marked FROM (SELECT ?1 AS blinding, ?2 AS layer), reviews o "
        f"WHERE o.evaluation_id = ?3 AND {_OF_OTHERS} ORDER BY o.reviewer",
        (blinding, layer, evaluation_id),
    )
    return [(str(name), int(marked)) for name, marked in rows]


def hides(connection: sqlite3.Connection, reviewer: str, blinding: Blinding | None = None) -> bool:
    """Return whether anything at all is hidden from a reviewer, in any of their layers: sums over all would show it.

    So would an order in which the systems follow one another. ``blinding``: what they choose, if it is known already.
    """
    if (blinding or blinding_of(connection, reviewer)) != "open":
        return True
    return bool(connection.execute(f"SELECT EXISTS ({_PASSES})", ("open", reviewer)).fetchone()[0])


def works_here(connection: sqlite3.Connection, reviewer: str) -> bool:
    """Return whether a reviewer did anything in this program, or is to: not one known from other tools' files alone."""
    row = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM events WHERE reviewer IN (?1, ?2, ?3) AND kind <> 'imported') OR EXISTS "
        "(SELECT 1 FROM assignments WHERE reviewer = ?1) OR EXISTS (SELECT 1 FROM app_state WHERE reviewer = ?1)",
        layers_of(split_layer(reviewer)[0]),
    ).fetchone()
    return bool(row[0])


def comes_too_early(connection: sqlite3.Connection, layer: str, evaluation_id: str) -> bool:
    """Return whether a layer is a second time, not begun yet, and its reviewer not through with the first.

    That is: of every evaluation of the translation that is theirs to review, or that they have opened. Otherwise what
    is shown the second time would spoil the first.
    """
    if not is_again(layer):
        return False
    row = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM evaluations e JOIN evaluations t ON t.translation_id = e.translation_id "
        "LEFT JOIN reviews r ON r.evaluation_id = t.id AND r.reviewer = ?2 WHERE e.id = ?3 "
        "AND coalesce(r.state, '') NOT IN ('done', 'skipped') AND (r.state IS NOT NULL OR t.id = e.id "
        "OR EXISTS (SELECT 1 FROM assignments a WHERE a.layer = ?2 AND a.evaluation_id = t.id))) "
        "AND NOT EXISTS (SELECT 1 FROM reviews WHERE evaluation_id = ?3 AND reviewer = ?1)",
        (layer, split_layer(layer)[0], evaluation_id),
    ).fetchone()
    return bool(row[0])


def shown_evaluations(connection: sqlite3.Connection, reviewer: str) -> dict[str, bool]:
    """Return the ids of the evaluations whose judge's record a reviewer may see → whether the system's name too."""
    query = f"SELECT e.id, NOT {SYSTEM_HIDDEN_CLAUSE} FROM {ASKED} WHERE NOT {HIDDEN_CLAUSE}"
    rows = connection.execute(query, (blinding_of(connection, reviewer), reviewer))
    return {identity: bool(named) for identity, named in rows}


def events_shown(connection: sqlite3.Connection, reviewer: str) -> Callable[[Event], bool]:
    """Return what says of an event whether a reviewer may see it.

    Not what others said of an evaluation that is hidden from them; nor what came from a file about one whose system is:
    it has the file's name, and words of its own, which may name the system.
    """
    if not hides(connection, reviewer):
        return lambda event: True
    shown, own = shown_evaluations(connection, reviewer), layers_of(split_layer(reviewer)[0])

    def is_shown(event: Event) -> bool:
        if event.reviewer in own or not event.evaluation_id:
            return True
        return event.evaluation_id in shown and (event.kind != "imported" or shown[event.evaluation_id])

    return is_shown


def flags_shown(flags: Sequence[Flag], *, named: bool) -> tuple[Flag, ...]:
    """Return the flags of an evaluation that its reviewer may see; ``named``: they may see the system's name."""
    return tuple(flag for flag in flags if named or flag.code != ANOTHER_EVALUATION)


COUNTED = frozenset(
    {"articles", "replaced_articles", "rubric_points", "translations", "segmentations", "plans", "assignments"}
)
"""The tables that tell nothing of what is hidden, not even by how many rows they have: there are more evaluations where
judges failed and were asked again."""


def masked(evaluation: StoredEvaluation, what: Unseen) -> StoredEvaluation:
    """Return an evaluation without what is to be hidden.

    Whether the judge failed, or found the output no translation, is hidden too: ``state`` then says how the evaluation
    is worked on, and not what the judge came to.
    """
    if what == "nothing":
        return evaluation
    from dataclasses import replace

    from judges.metric_s.scoring import METRIC_S  # a queue is read without what scores
    from storage.record.library import NO_SCORE

    evaluation = replace(evaluation, system=HIDDEN, flags=flags_shown(evaluation.flags, named=False))
    if what == "system":
        return evaluation
    return replace(
        evaluation,
        judge=HIDDEN,
        state="no_translation" if evaluation.translation is None else "scored",
        failed=(),
        score=None,
        stored_score=NO_SCORE,
        findings=(),
        rubric=(),
        advice=(),
        flags=(),
        instruction_check="",
        advice_text="",
        signature="",
        sample=1,
        quotes=None,
        quotes_verified=None,
        weights=METRIC_S,
        hidden=True,
    )
