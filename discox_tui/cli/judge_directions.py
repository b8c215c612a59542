"""What to know before judges are asked of directions that Metric-S was not made for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from discox_tui.reports.layout import counted


def remarks(articles: Mapping[str, int]) -> Iterator[str]:
    """Yield what a run on so many articles of each direction should not be begun without."""
    from judges.agreement.pairwise import DIRECTIONS

    if others := [direction for direction in articles if direction and direction not in DIRECTIONS]:
        yield (
            f"Metric-S was made for {' and '.join(DIRECTIONS)}, and only of these it was published how far it agrees "
            f"with people. In {', '.join(others)} the prompts name the two languages; definitions, severities and "
            "weights are the same. Review some before you rely on them."
        )
    if unsaid := articles.get(""):
        yield (
            f"Of {counted(unsaid, 'article')} nobody said the languages, so judges are not told them; import with "
            "--direction SRC-TGT"
        )
