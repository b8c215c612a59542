"""What counts of one review: an error that is marked at several places once, and what the judge missed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from judges.metric_s.reviewing import first_of_group


def further_places(errors: Iterable[Iterable[str]], links: Mapping[str, str]) -> set[str]:
    """Return the errors that are further places of one that counts already.

    ``errors``: the ids of those that stand, in classes: of a group one of the first class counts that it has any of,
    and there its first place, or else the first in order. ``links``: as `Work.links`.
    """
    counted: set[str] = set()
    further: set[str] = set()
    for each in errors:
        of_group = [(identity, first_of_group(identity, links)) for identity in each]
        for identity, first in sorted(of_group, key=lambda pair: pair[0] != pair[1]):
            if first in counted:
                further.add(identity)
            counted.add(first)
    return further
