"""The choice among several occurrences: which one, and how sure, where one thing alone decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from judges.grounding import occurrences
from judges.grounding.documents import OTHER, AlignedPosition, Documents, prepare
from judges.grounding.fuzzy_search import Match
from judges.grounding.hints import Hint, Place
from judges.grounding.occurrences import Item, Region, choose, region, spread
from judges.grounding.quote_roles import Reading
from judges.grounding.quotes import Mention
from judges.model import Side

SOURCE = "老河\n河水在冬天变浅。船停在河边。\n老人在河上，船在岸上。\n河是不会等人的。"
TRANSLATION = (
    "The Old River\n"
    "The river is low in winter. A boat lies by the river.\n"
    "The old man is on the river, a boat on the bank.\n"
    "The river waits for no one."
)
RIVERS = [1, 3, 14, 21, 30]
"""Where 河 stands: in the title, twice in the first paragraph, once in each of the others."""


@pytest.fixture(scope="module")
def pair() -> Documents:
    return prepare(SOURCE, TRANSLATION, "zh-en")


def item(pair: Documents, text: str, side: Side = "source", index: int = 0, role: Any = "named", **more: Any) -> Item:
    reading = Reading(Mention(text, 0, len(text)), side, role, **more)
    return Item(reading, text, side, index, pair.sides[side].find(text))


def place(kind: Any, *numbers: int) -> tuple[Place, ...]:
    return (Place(kind, frozenset(numbers)),)


NO_HINT: Region = {}


def chosen(pair: Documents, one: Item, *others: Item, hinted: Region = NO_HINT) -> tuple[list[int], float]:
    choose(pair, [one, *others], hinted)
    return [match.start for match in one.chosen], one.confidence


def test_the_texts_are_what_the_tests_take_them_for(pair: Documents) -> None:
    assert [match.start for match in pair.sides["source"].find("河")] == RIVERS
    assert [(bead.source, bead.translation) for bead in pair.alignment] == [((k,), (k,)) for k in range(4)]
    assert pair.sides["source"].headings == (0,)
    assert pair.sides["translation"].headings == (0,)


def test_a_hint_points_at_paragraphs_of_both_sides(pair: Documents) -> None:
    nobody: Region = {"source": set(), "translation": set()}
    assert region(pair, Hint(frozenset({2}))) == {"source": {1}, "translation": {1}}
    assert region(pair, Hint(frozenset({4, 9}))) == {"source": {3}, "translation": {3}}
    assert region(pair, Hint(frozenset({5}))) == nobody
    assert region(pair, Hint(title=True)) == {"source": {0}, "translation": {0}}
    assert region(pair, Hint()) == nobody
    uneven = prepare("甲乙丙丁。\n戊己庚辛壬癸子丑。", "One sentence is here with ten words that stand alone.", "zh-en")
    assert region(uneven, Hint(frozenset({2}))) == {"source": {1}, "translation": {0}}


def test_the_only_occurrence_is_as_sure_as_its_match(pair: Documents) -> None:
    assert chosen(pair, item(pair, "冬天")) == ([6], 0.99)
    assert chosen(pair, item(pair, "Winter", "translation")) == ([34], 0.98)
    assert chosen(pair, item(pair, "没有")) == ([], 0.0)


@pytest.mark.parametrize(
    ("places", "start"),
    [
        (place("paragraph", 4), 30),
        (place("paragraph", -1), 30),
        (place("title"), 1),
        (place("nth", 3), 14),
        (place("nth", -1), 30),
        (place("nth", 1), 1),
    ],
)
def test_a_place_named_beside_a_quote_decides(pair: Documents, places: tuple[Place, ...], start: int) -> None:
    assert chosen(pair, item(pair, "河", places=places)) == ([start], 0.96)


@pytest.mark.parametrize(
    ("kind", "numbers", "starts"),
    [
        ("sentence", [1], [1, 3, 21, 30]),
        ("sentence", [2], [14]),
        ("sentence", [-1], [1, 14, 21, 30]),
        ("half", [1], [3, 21, 30]),
        ("half", [-1], [1, 14]),
        ("paragraph", [1], [1, 3, 14]),  # the title is counted, or is not
        ("paragraph", [4], [30]),
        ("paragraph", [9], []),
        ("title", [], [1]),
        ("nth", [2, 5], [3, 30]),
    ],
)
def test_which_occurrences_are_at_a_place(pair: Documents, kind: Any, numbers: list[int], starts: list[int]) -> None:
    matches = pair.sides["source"].find("河")
    (where,) = place(kind, *numbers)
    found = [
        match.start
        for order, match in enumerate(matches, 1)
        if occurrences._at(pair, "source", match, where, (order, len(matches)))
    ]
    assert found == starts


@pytest.mark.parametrize(("number", "start"), [(1, 1), (3, 21), (4, 30)])
def test_the_paragraph_of_the_finding_decides(pair: Documents, number: int, start: int) -> None:
    hinted = region(pair, Hint(frozenset({number})))
    assert chosen(pair, item(pair, "河"), hinted=hinted) == ([start], 0.96)


def test_of_two_in_the_paragraph_the_first_is_a_guess(pair: Documents) -> None:
    assert chosen(pair, item(pair, "河"), hinted=region(pair, Hint(frozenset({2})))) == ([3], 0.72)


def test_the_nearest_paragraph_is_taken_if_none_is_the_hinted_one(pair: Documents) -> None:
    """船 stands in the second and third; the fourth is hinted."""
    assert chosen(pair, item(pair, "船"), hinted={"source": {3}}) == ([24], 0.85)
    assert chosen(pair, item(pair, "船"), hinted={"source": {0}}) == ([11], 0.85)


@pytest.mark.parametrize(
    ("text", "firm", "confidence"),
    [("冬天", False, 0.6), ("冬天", True, 0.8), ("冬天变浅", False, 0.8)],
)
def test_the_only_occurrence_far_from_what_renders_it_is_less_sure(
    pair: Documents, text: str, firm: bool, confidence: float
) -> None:
    rendering = item(pair, "waits", "translation", 1, linked=0)
    assert chosen(pair, item(pair, text, index=0, firm=firm), rendering)[1] == confidence


@pytest.mark.parametrize(
    ("words", "start", "confidence"),
    [
        ("low in winter", 3, 0.85),  # 0.7 of its sentence on; the other river is in the middle of the next
        ("boat lies by", 14, 0.93),  # a third of its sentence on; the other one begins the sentence before
        ("waits for no one", 30, 0.96),
    ],
)
def test_the_other_sides_quote_decides(pair: Documents, words: str, start: int, confidence: float) -> None:
    rendering = item(pair, words, "translation", 1, linked=0)
    assert chosen(pair, item(pair, "河"), rendering) == ([start], confidence)


def test_of_several_renderings_the_first_named_one_is_the_partner(pair: Documents) -> None:
    fine = item(pair, "low in winter", "translation", 1, role="fine", linked=0)
    named = item(pair, "waits for no one", "translation", 2, linked=0)
    later = item(pair, "old man", "translation", 3, linked=0)
    one = item(pair, "河")
    assert occurrences._partners(one, [one, fine, later, named]) == [named]
    assert occurrences._partners(named, [one, fine, later, named]) == [one]
    both = item(pair, "river", "translation", 0)
    assert occurrences._partners(one, [one, named, both]) == [both]
    nowhere = item(pair, "nowhere", "translation", 4, linked=0)
    assert occurrences._partners(one, [one, nowhere]) == []


def test_a_neighbouring_quote_decides_where_nothing_else_does(pair: Documents) -> None:
    for words, start in (("冬天", 3), ("不会等人", 30), ("老人", 21)):
        assert chosen(pair, item(pair, "河"), item(pair, words, index=1))[0] == [start]
    # What is only suggested is no neighbour.
    assert chosen(pair, item(pair, "河"), item(pair, "不会等人", index=1, role="suggested"))[0] == [1]


def test_a_quote_within_a_wider_one_is_there(pair: Documents) -> None:
    wide = item(pair, "停在河边", index=1)
    one = item(pair, "河")
    assert chosen(pair, one, wide) == ([14], 0.99)
    twice = item(pair, "河水在冬天变浅。船停在河边", index=1)
    assert chosen(pair, item(pair, "河"), twice) == ([3], 0.85)
    nearer, farther = item(pair, "停在河边", index=2), item(pair, "老人在河上", index=4)
    for index, start in ((0, 14), (5, 21)):
        assert chosen(pair, item(pair, "河", index=index), farther, nearer)[0] == [start]


@pytest.mark.parametrize(
    ("inner", "outer", "holds"),
    [
        ({}, {}, True),
        ({"places": place("nth", 1)}, {}, False),
        ({"places": place("nth", 1)}, {"places": place("nth", 1)}, True),
        ({}, {"places": place("nth", 1)}, True),
        ({"firm": True}, {"role": "fine"}, False),
        ({"firm": True}, {"role": "elsewhere"}, False),
        ({"firm": True}, {"role": "gloss"}, True),
        ({"firm": False}, {"role": "fine"}, False),
        ({"firm": True, "role": "gloss"}, {"role": "fine"}, True),
        ({"touching": True}, {"touching": True}, False),
        ({"touching": True}, {}, True),
        ({"touching": True, "index": 2}, {"touching": True}, True),
        ({"side": "translation"}, {}, False),
        ({"text": "停在河边"}, {}, True),
        ({"text": "停在河边", "linked": 1}, {}, False),
        ({"text": "停在河边"}, {"role": "fine"}, False),
        ({"text": "江"}, {}, False),
    ],
)
def test_when_a_quote_is_around_another(
    pair: Documents, inner: dict[str, Any], outer: dict[str, Any], holds: bool
) -> None:
    wide, one = item(pair, "停在河边", index=1, **outer), item(pair, inner.pop("text", "河"), **inner)
    assert occurrences._holds(wide, one, [wide, one]) == holds


def test_the_same_words_again_are_the_same_place_unless_another_place_is_named(pair: Documents) -> None:
    first = item(pair, "河", places=place("nth", 3))
    again = item(pair, "河", index=1)
    other = item(pair, "河", index=2, places=place("nth", 4))
    choose(pair, [first, again, other], NO_HINT)
    assert [match.start for one in (first, again, other) for match in one.chosen] == [14, 14, 21]
    assert again.confidence == first.confidence == 0.96


def test_another_spelling_of_the_words_is_elsewhere(pair: Documents) -> None:
    title, small = item(pair, "River", "translation"), item(pair, "river", "translation", 1)
    choose(pair, [title, small], NO_HINT)
    assert [TRANSLATION[match.start : match.end] for match in (*title.chosen, *small.chosen)] == ["River", "river"]


def test_what_is_fine_is_not_where_the_error_is(pair: Documents) -> None:
    fine = item(pair, "船停在河边", index=1, role="fine")
    wrong = item(pair, "船", firm=True)
    assert chosen(pair, wrong, fine)[0] == [24]


def test_a_number_of_places_chooses_as_many(pair: Documents) -> None:
    hinted = region(pair, Hint(frozenset({2})))
    assert chosen(pair, item(pair, "河", times=2), hinted=hinted) == ([3, 14], 0.9)
    assert chosen(pair, item(pair, "河", times=5), hinted=hinted) == (RIVERS, 0.95)
    assert chosen(pair, item(pair, "河", times=3), hinted=hinted) == ([1, 3, 14], 0.9)
    assert chosen(pair, item(pair, "河", times=12), hinted=hinted) == (RIVERS, 0.9)
    rendering = item(pair, "waits", "translation", 1, linked=0, times=5)
    assert chosen(pair, item(pair, "河"), rendering)[0] == RIVERS


@pytest.mark.parametrize(
    ("margin", "sure"), [(20, 0.96), (19.9, 0.93), (1, 0.93), (0.99, 0.85), (0.4, 0.85), (0.39, 0.72), (0, 0.72)]
)
def test_a_choice_is_as_sure_as_its_lead(margin: float, sure: float) -> None:
    assert occurrences._certainty(margin) == sure


def matches(*starts: int) -> list[Match]:
    return [Match(start, start + 1, "exact", 0.99) for start in starts]


def positions(text: str, *parts: str) -> list[int]:
    found: list[int] = []
    for part in parts:
        found.append(text.index(part, found[-1] + 1 if found else 0))
    return found


def test_each_rendering_has_the_nearest_occurrence_beside_it_and_each_another(pair: Documents) -> None:
    lit = matches(*positions(TRANSLATION, "low", "lies", "waits"))
    source = pair.sides["source"].find("河")
    assert sorted(match.start for match in occurrences._beside(pair, source, lit, 1.5)) == [3, 14, 30]
    assert occurrences._beside(pair, source[:1], lit, 60.0) == []
    only = occurrences._beside(pair, source[1:2], lit, 60.0)
    assert [match.start for match in only] == [3]


@pytest.mark.parametrize(("order", "confidence"), [((1, 2), 0.85), ((2, 1), 0.9)])
def test_a_term_with_several_renderings_is_shown_beside_each(
    pair: Documents, order: tuple[int, int], confidence: float
) -> None:
    """The first rendering in the prose decided how sure the term's place is: 0.85, or 0.96, which becomes 0.9."""
    term = item(pair, "河")
    low = item(pair, "low in winter", "translation", order[0], linked=0, rendered=True)
    waits = item(pair, "waits for no one", "translation", order[1], linked=0, rendered=True)
    items: Sequence[Item] = [term, low, waits]
    choose(pair, items, NO_HINT)
    spread(pair, items, various=False)
    assert [match.start for match in term.chosen] == [3, 30]
    assert term.confidence == confidence
    alone = item(pair, "河")
    choose(pair, [alone, low], NO_HINT)
    before = list(alone.chosen)
    spread(pair, [alone, low], various=False)
    assert alone.chosen == before


def test_renderings_that_are_not_said_to_be_so_count_only_where_a_term_varies(pair: Documents) -> None:
    for various, starts in ((False, [3]), (True, [3, 30])):
        term = item(pair, "河")
        items = [
            term,
            item(pair, "low in winter", "translation", 1, linked=0),
            item(pair, "waits for no one", "translation", 2, linked=0),
        ]
        choose(pair, items, NO_HINT)
        spread(pair, items, various)
        assert [match.start for match in term.chosen] == starts, various


def test_spots_are_apart_by_sentences_and_paragraphs() -> None:
    assert AlignedPosition(0, 1, 0.5).distance(AlignedPosition(2, 9, 0.1)) == 200
    assert AlignedPosition(1, 1, 0.5).distance(AlignedPosition(1, 3, 0.0)) == pytest.approx(2.15)
    assert OTHER == {"source": "translation", "translation": "source"}


def test_a_position_has_a_place_on_the_scale_of_both_sides(pair: Documents) -> None:
    assert [pair.bead_at("source", at) for at in (0, 3, 21, 30)] == [0, 1, 2, 3]
    spot = pair.place("source", 14)
    assert (spot.bead, spot.sentence) == (1, 1)
    assert spot.fraction == pytest.approx(3 / 6)  # the fourth of six characters: 船停在河边。
    boat = TRANSLATION.index("A boat lies")
    assert pair.place("translation", boat) == AlignedPosition(1, 1, 0.0)
    assert pair.position("translation", AlignedPosition(1, 1, 0.0)) == boat
    assert pair.position("translation", AlignedPosition(1, 1, 0.2)) == boat + 2  # five letters on is within “boat”
    assert pair.position("translation", AlignedPosition(1, 2, 0.5)) == TRANSLATION.index("\nThe old man")
    assert pair.position("translation", AlignedPosition(9, 0, 0.5)) is None
    first = TRANSLATION.index("The river is low")
    assert pair.window("translation", AlignedPosition(1, 0, 0.0)) == (first, TRANSLATION.index("\nThe old man"))
    assert pair.window("translation", AlignedPosition(9, 0, 0.0)) is None
    assert pair.counterpart("source", 2) == (2,)
    assert pair.counterpart("source", 9) == ()
    assert pair.sides["source"].paragraph_at(0) == 0
    assert pair.sides["source"].paragraph_at(2) == 0
    assert pair.sides["source"].paragraph_at(3) == 1


@pytest.mark.parametrize(
    ("direction", "wide"),
    [
        ("zh-en", (True, False)),
        ("en-ja", (False, True)),
        ("zh_CN-en_GB", (True, False)),
        ("", (True, False)),
        ("xx", (False, False)),
    ],
)
def test_the_scripts_of_both_sides(direction: str, wide: tuple[bool, bool]) -> None:
    found = prepare(SOURCE, TRANSLATION, direction)
    assert (found.wide["source"], found.wide["translation"]) == wide
    assert found.same_script == (wide[0] == wide[1])


def test_short_paragraphs_without_a_stop_are_headings() -> None:
    chinese = prepare(f"{'甲' * 30}\n{'乙' * 31}\n丙丁。\n戊己", "x", "zh-en")
    assert chinese.sides["source"].headings == (0, 3)
    latin_ = prepare(f"{'a' * 80}\n{'b' * 81}\ncc.\ndd", "x", "en-de")
    assert latin_.sides["source"].headings == (0, 3)
    third = prepare(f"{'甲' * 20}{'a' * 40}", "x", "zh-en")  # a third Chinese is not more than a third
    assert third.sides["source"].headings == (0,)
    more = prepare(f"{'甲' * 21}{'a' * 40}", "x", "zh-en")
    assert more.sides["source"].headings == ()


def test_a_text_is_looked_for_on_both_sides(pair: Documents) -> None:
    assert pair.reach("冬天里") == 2
    assert pair.reach("old man and the sea") == 8
    assert pair.reach("zzz") == 0


def test_a_side_is_wide_from_a_quarter_of_its_letters_on() -> None:
    assert prepare("甲aaa", "甲甲aaa", "").wide == {"source": False, "translation": True}


def test_where_a_sentence_begins_and_ends(pair: Documents) -> None:
    start, end = TRANSLATION.index("The old man"), TRANSLATION.index("\nThe river waits")
    assert pair.position("translation", AlignedPosition(2, 0, 0.0)) == start
    assert pair.position("translation", AlignedPosition(2, 0, 1.0)) == end
    assert pair.place("translation", start).fraction == 0
    assert pair.place("translation", end).fraction == 1
    assert pair.place("source", 13).fraction == pytest.approx(2 / 6)
    assert pair.place("source", 10) == AlignedPosition(1, 0, 7 / 8)
    assert pair.place("source", 2) == AlignedPosition(0, 0, 1.0)


def test_a_window_is_the_sentence_and_its_neighbours() -> None:
    source = "甲一。乙二。丙三。丁四。戊五。"
    translation = "Aa one. Bb two. Cc three. Dd four. Ee five."
    pair = prepare(source, translation, "zh-en")
    assert [pair.place("source", at).sentence for at in (0, 3, 6, 9, 12)] == [0, 1, 2, 3, 4]
    assert [pair.place("translation", translation.index(word)).sentence for word in ("Aa", "Cc", "Ee")] == [0, 2, 4]
    assert pair.window("source", AlignedPosition(0, 2, 0.5)) == (3, 12)
    assert pair.window("source", AlignedPosition(0, 0, 0.5)) == (0, 6)
    assert pair.window("source", AlignedPosition(0, 4, 0.5)) == (9, 15)
    beads, left, right = pair.sentence_beads(0)
    assert [(bead.source, bead.translation) for bead in beads] == [((k,), (k,)) for k in range(5)]
    assert (left[2].start, left[2].end) == (6, 9)
    assert translation[right[2].start : right[2].end] == "Cc three."


def test_a_paragraph_without_a_counterpart_has_no_place_on_the_other_side() -> None:
    source = "\n".join(["甲" * 100 + f"{k}0" for k in range(8)] + ["乙" * 100])
    translation = "\n".join(["x" * 320 + f" {k}0" for k in range(8)])
    pair = prepare(source, translation, "zh-en")
    assert pair.counterpart("source", 8) == ()
    spot = pair.place("source", len(source))
    assert spot.bead == 8
    assert pair.position("translation", spot) is None
    assert pair.window("translation", spot) is None
    left, right = pair.sentence_beads(8)[1:]
    assert (len(left), right) == (1, ())


def costs(pair: Documents, one: Item, *others: Item, hinted: Region = NO_HINT) -> list[float]:
    return [cost for cost, *_ in occurrences._costs(pair, one, [one, *others], hinted)]


def test_what_stands_against_an_occurrence_by_hand(pair: Documents) -> None:
    one = item(pair, "河")
    assert costs(pair, one) == [0] * 5
    assert costs(pair, one, hinted={"source": {0}}) == [0, 25.5, 25.5, 26, 26.5]
    near = item(pair, "老人", index=1)
    near.chosen = near.candidates
    assert costs(pair, one, near)[4] == pytest.approx(0.45 * (90 - 0.6))
    assert costs(pair, one, near)[3] == 0
    placed = item(pair, "old man", "translation", 2, linked=0)
    placed.chosen = placed.candidates
    assert costs(pair, one, near, placed)[4] == 60
    assert costs(pair, one, near, placed)[3] < 0.3
    assert costs(pair, item(pair, "河", places=place("nth", 1)))[1] == 60


def test_another_case_costs_little(pair: Documents) -> None:
    for text in ("The", "the"):
        one = item(pair, text, "translation")
        assert {m.method: cost for m, cost in zip(one.candidates, costs(pair, one), strict=True)} == {
            "exact": 0,
            "folded": 0.75,
        }


def test_one_occurrence_stands_beside_one_rendering(pair: Documents) -> None:
    lit = matches(*positions(TRANSLATION, "low", "winter"))
    source = pair.sides["source"].find("河")
    assert [match.start for match in occurrences._beside(pair, source[1:2], lit, 60.0)] == [3]
    assert sorted(match.start for match in occurrences._beside(pair, source[1:3], lit, 60.0)) == [3, 14]
    assert [match.start for match in occurrences._beside(pair, source[1:3], lit, 1.0)] == [3]
