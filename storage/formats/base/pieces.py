"""Documents that a tool cut into pieces, a batch each, put together again: where in the text each sentence stands.

A batch numbers its items anew, and the same document may be whole in one batch, in two halves in others, and once more
in a third for another annotator. What is whole somewhere, of whichever system, tells the order of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Item(NamedTuple):
    """One item of a document: the batch that it is in, its number there, and its source."""

    piece: str
    order: float
    source: str


def places(items: Mapping[str, Iterable[Item]]) -> dict[tuple[str, Item], int]:
    """Return where each item stands in the text of an article, from 0, by system and item.

    ``items``: of one article, by system, in any order. Two items at one place are the same sentence in two batches. A
    sentence that occurs twice in the text has two places. Pieces of which nothing else tells where they belong stand
    one behind the other, as their batches are named.
    """
    pieces = {system: _pieces(own) for system, own in sorted(items.items())}
    whole = max((piece for own in pieces.values() for piece in own), key=len, default=[])
    text = [item.source for item in whole]
    found: dict[tuple[str, Item], int] = {}
    for system in sorted(pieces, key=lambda name: -max(map(len, pieces[name]))):
        follows = 0
        for piece in pieces[system]:
            at = _places(text, [item.source for item in piece], follows)
            found.update({(system, item): place for item, place in zip(piece, at, strict=True)})
            follows = at[-1] + 1
    return found


def _pieces(items: Iterable[Item]) -> list[list[Item]]:
    """The items of one system by batch, batches in the order of their names, numbers in these as numbers."""
    by_piece: dict[str, set[Item]] = {}
    for item in items:
        by_piece.setdefault(item.piece, set()).add(item)
    return [
        sorted(by_piece[name], key=lambda item: (item.order, item.source)) for name in sorted(by_piece, key=_natural)
    ]


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part or 0) if part.isdecimal() else -1, part) for part in re.split(r"([0-9]{1,18})", name)]


def _places(text: list[str], piece: list[str], follows: int) -> list[int]:
    """The places of a piece's sentences in a text, which grows by those that it does not have.

    ``follows``: where the piece before it ended; a piece belongs there, if its sentences do.
    """
    rest = text[follows:]
    if rest and all(one == other for one, other in zip(rest, piece, strict=False)):
        text += piece[len(rest) :]
        return [*range(follows, follows + len(piece))]
    for at in range(len(text) - len(piece) + 1):
        if text[at : at + len(piece)] == piece:
            return [*range(at, at + len(piece))]
    return _among(text, piece, follows) or _among(text, piece, 0) or _at_end(text, piece)


def _among(text: list[str], piece: list[str], start: int) -> list[int] | None:
    """The places of a piece's sentences in their order, others between them; None if they do not."""
    at: list[int] = []
    for sentence in piece:
        try:
            at.append(text.index(sentence, at[-1] + 1 if at else start))
        except ValueError:
            return None
    return at


def _at_end(text: list[str], piece: list[str]) -> list[int]:
    begin = len(text)
    text += piece
    return [*range(begin, len(text))]
