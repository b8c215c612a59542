"""Places of a quote in a text, level by level, each figure worked out by hand."""

from __future__ import annotations

import random

import pytest

from judges.grounding import fuzzy_search
from judges.grounding.fuzzy_search import Locator, Match, han, latin, same_words, size

Place = tuple[int, int, str]


def places(matches: list[Match]) -> list[Place]:
    return [(match.start, match.end, match.method) for match in matches]


def found(text: str, quote: str) -> list[Place]:
    return places(Locator(text).find(quote))


def test_two_matches_that_only_touch_do_not_overlap() -> None:
    match = Match(3, 6, "exact", 0.99)
    assert match.middle == 4
    assert match.inside(match)
    assert match.inside(Match(3, 7, "exact", 0.9))
    assert match.inside(Match(2, 6, "exact", 0.9))
    assert not match.inside(Match(4, 9, "exact", 0.9))
    assert not match.inside(Match(0, 5, "exact", 0.9))
    assert not match.overlaps(Match(6, 9, "exact", 0.9))
    assert not match.overlaps(Match(0, 3, "exact", 0.9))
    assert match.overlaps(Match(5, 9, "exact", 0.9))
    assert match.overlaps(Match(0, 4, "exact", 0.9))


def test_scripts_are_told_apart_at_their_edges() -> None:
    assert [latin(char) for char in "aé7中。 "] == [True, True, True, False, False, False]
    assert [han(char) for char in "\u303f\u3040\u9fff\ua000\U0001ffff\U00020000"] == [0, 1, 1, 0, 0, 1]
    assert size("中a1 .") == 4
    assert size("") == 0


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        # word for word, and folded
        ("He said yes. Yes!", "yes", [(8, 11, "exact"), (13, 16, "folded")]),
        ("He said yes. Yes!", "  yes ", [(8, 11, "exact"), (13, 16, "folded")]),
        ("concatenate cat", "cat", [(12, 15, "exact")]),
        ("cat concat", "cat", [(0, 3, "exact")]),
        ("在中国人", "中国", [(1, 3, "exact")]),
        ("A中国B", "中国", [(1, 3, "exact")]),
        ("中a国", "a", [(1, 2, "exact")]),
        ("…", "…", []),
        # a character that folds to several is found whole or not at all
        ("ﬁn", "in", []),
        ("oﬁ", "of", []),
        ("oﬁ", "ofi", [(0, 2, "folded")]),
        ("ﬁ", "fi", [(0, 1, "folded")]),
        # letters and digits alone
        ("the well known case", "well-known", [(4, 14, "letters")]),
        # another ending of the last word
        ("He abandoned it", "abandons", [(3, 12, "inflected")]),
        ("many berries", "berry", [(5, 12, "inflected")]),
        ("walks walked", "walk", [(0, 5, "inflected"), (6, 12, "inflected")]),
        ("walking", "walk", [(0, 7, "inflected")]),
        ("walkeds walks", "walked", [(0, 7, "inflected")]),
        ("walkable", "walk", []),
        ("walkinging", "walk", []),
        ("walkish", "walk", []),
        ("eating", "eat", []),
        ("eating", "eats", []),
        ("中国walking", "walk", [(2, 9, "inflected")]),
        ("银行家", "银行业", []),
        # fragments around an ellipsis
        ("the first of all, the last.", "the first … the last", [(0, 26, "ellipsis")]),
        ("the first of all, the last.\nNext.", "the first … the last", [(0, 26, "ellipsis")]),
        ("so the first of all, the last.", "the first ... the last", [(3, 29, "ellipsis")]),
        ("end of the treaty.", "… of the treaty", [(4, 17, "letters")]),
        ("abc x def", "abc … def", [(0, 9, "ellipsis")]),
        ("abc x de", "abc … de", []),
        ("the first of all,\nthe last.", "the first … the last", []),
        ("aaa1 x bbb1 aaa1 x bbb1", "aaa1 … bbb1", [(0, 11, "ellipsis"), (12, 23, "ellipsis")]),
        ("aaa1 x bbb1 x ccc1", "aaa1 … bbb1 … ccc1", [(0, 18, "ellipsis")]),
        ("aaa1 x ccc1 x bbb1", "aaa1 … bbb1 … ccc1", []),
        ("ababab", "abab … abab", []),
        ("abab x abab", "abab … abab", [(0, 11, "ellipsis")]),
        ("alpha xx omega", "alph … mega", [(0, 14, "ellipsis")]),
        ("alpha xx omega", "lpha … omega", []),
        ("alpha xx omega", "alpha … omeg", []),
        ("alpha xgammax omega", "alpha … gamma … omega", [(0, 19, "ellipsis")]),
        ("a1 a2 a3 a4 a5 a6 a7 a8", "a1…a2…a3…a4…a5…a6…a7…a8…zz", [(0, 23, "ellipsis")]),
        ("a1 a2 a3 a4 a5 a6 a7 x8", "a1…a2…a3…a4…a5…a6…a7…a8…zz", []),
    ],
)
def test_the_first_level_that_finds_any_place_counts(text: str, quote: str, expected: list[Place]) -> None:
    assert found(text, quote) == expected


@pytest.mark.parametrize(("gap", "there"), [(400, True), (401, False)])
def test_fragments_stand_at_most_four_hundred_characters_apart(gap: int, there: bool) -> None:
    text = f"alpha {'x' * (gap - 2)} omega"
    assert found(text, "alpha … omega") == ([(0, gap + 10, "ellipsis")] if there else [])


@pytest.mark.parametrize(
    ("text", "quote", "confidence"),
    [
        ("yes", "yes", 0.99),
        ("Yes", "yes", 0.98),
        ("well known", "well-known", 0.96),
        ("walking", "walk", 0.92),
        ("the first of the last", "the first … the last", 0.92),
    ],
)
def test_looser_levels_are_less_sure(text: str, quote: str, confidence: float) -> None:
    assert [match.confidence for match in Locator(text).find(quote)] == [confidence]


def test_at_most_a_thousand_places_are_found() -> None:
    text = "中" * 1500
    assert found(text, "中")[-1] == (999, 1000, "exact")
    assert places(Locator(text).verbatim("中"))[-1] == (999, 1000, "exact")


@pytest.mark.parametrize(("most", "expected"), [(6, [(7, 10, "exact")]), (5, [])])
def test_a_hostile_text_is_given_up(monkeypatch: pytest.MonkeyPatch, most: int, expected: list[Place]) -> None:
    """Two looks at a quote of three letters are six characters; the first look is in mid-word."""
    monkeypatch.setattr(fuzzy_search, "_MOST_COMPARED", most)
    assert found("concat cat", "cat") == expected


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("cat concat Cat", "cat", [(0, 3, "exact")]),
        ("concat Cat", "cat", [(7, 10, "folded")]),
        ("concat", "cat", [(3, 6, "cut")]),
        ("concat", "con", [(0, 3, "cut")]),
        ("cats", "cat", [(0, 3, "cut")]),
        ("ab", "b", [(1, 2, "cut")]),
        ("a-cat-b", "cat", [(2, 5, "exact")]),
        ("well known", "well-known", [(0, 10, "letters")]),
        ("the first of all, the last.", "the\nfirst … the last", [(0, 26, "ellipsis")]),
        ("abandoned", "abandons", []),
        ("the bank failed", "the bank (X) failed", []),
        ("anything", "", []),
    ],
)
def test_a_verbatim_quote_is_read_as_faithfully_as_it_can_be(text: str, quote: str, expected: list[Place]) -> None:
    matches = Locator(text).verbatim(quote)
    assert places(matches) == expected
    assert all(match.confidence == (0.8 if match.method == "cut" else match.confidence) for match in matches)


def test_forms_of_a_term_are_in_text_order_and_each_as_sure_as_it_is() -> None:
    assert places(Locator("walked walk walks").forms(" walk ")) == [
        (0, 6, "inflected"),
        (7, 11, "exact"),
        (12, 17, "inflected"),
    ]


def test_a_quote_occurs_only_as_whole_words() -> None:
    assert Locator("the cat").occurs(" Cat ")
    assert not Locator("concat").occurs("cat")


@pytest.mark.parametrize(
    ("text", "start", "length"),
    [
        ("The river is wide today.", "river", 5),
        ("The river is wide today.", "river is wide and deep", 14),
        ("The river is wide today.", "river is wide to", 14),
        ("The river is wide today.", "riv", 0),
        ("The river is wide today.", "zzz", 0),
        ("The river is wide today.", "", 0),
        ("中国人", "国人民", 2),
        ("中国人", "中国人", 3),
    ],
)
def test_how_far_a_text_occurs_here_from_its_beginning(text: str, start: str, length: int) -> None:
    assert Locator(text).reach(start) == length


@pytest.mark.parametrize("seed", range(40))
def test_the_reach_is_the_longest_beginning_that_occurs(seed: int) -> None:
    chance = random.Random(seed)
    text, start = ("".join(chance.choices("ab  ,中", k=length)) for length in (60, 12))
    locator = Locator(text)
    start = text[seed : seed + 6] + start
    whole = [
        k
        for k in range(1, len(start) + 1)
        if locator.occurs(start[:k]) and not (latin(start[k - 1]) and k < len(start) and latin(start[k]))
    ]
    reach, longest = locator.reach(start), max([0, *whole])
    assert reach == longest or (reach > longest and locator.occurs(start[:reach]))


# Resemblance: 100 × 2 × common letters / letters of both

LETTERS = "abcdefghijklmnopqrstuvwxyzαβγδ"
CHINESE = "天地玄黄宇宙洪荒日月盈昃"


def altered(word: str, wrong: int) -> str:
    """The word with so many letters in its middle that it does not have."""
    strange = "一二三四五六七八九十" if word[0] in CHINESE else "0123456789"
    first = (len(word) - wrong) // 2
    return word[:first] + strange[:wrong] + word[first + wrong :]


@pytest.mark.parametrize(
    ("letters", "length", "wrong", "bar"),
    [
        (LETTERS, 30, 9, 70),  # 70
        (LETTERS, 30, 10, None),  # 66.7
        (LETTERS, 24, 6, 70),  # 75
        (LETTERS, 23, 6, None),  # 73.9, below 78
        (LETTERS, 23, 5, 78),  # 78.3
        (LETTERS, 12, 2, 78),  # 83.3
        (LETTERS, 11, 2, None),  # 81.8, below 85
        (LETTERS, 11, 1, 85),  # 90.9
        (LETTERS, 6, 0, 85),
        (LETTERS, 5, 0, None),
        (CHINESE, 10, 3, 68),  # 70
        (CHINESE, 9, 3, None),  # 66.7
        (CHINESE, 9, 2, 76),  # 77.8
        (CHINESE, 8, 2, None),  # 75, below 76
        (CHINESE, 6, 1, 76),  # 83.3
        (CHINESE, 5, 1, 74),  # 80
        (CHINESE, 4, 1, 74),  # 75
        (CHINESE, 3, 0, None),
    ],
)
def test_shorter_quotes_must_resemble_more(letters: str, length: int, wrong: int, bar: float | None) -> None:
    word = letters[:length]
    text = f"zz {word} zz" if letters is LETTERS else f"，{word}，"
    start = text.index(word)
    match = Locator(text).resemble(altered(word, wrong), 0, len(text))
    if bar is None:
        assert match is None
        return
    score = 100 * (1 - wrong / length)
    confidence = min(0.94, 0.72 + 0.23 * (score - bar) / (100 - bar))
    assert match is not None
    assert (match.start, match.end, match.method) == (start, start + length, "resembling")
    assert match.confidence == pytest.approx(confidence, abs=0.0006)


def test_a_quote_is_chinese_from_half_of_its_characters_on() -> None:
    text = "，中文abc，"
    assert Locator(text).resemble("中文ab", 0, len(text)) is not None
    assert Locator(text).resemble("中文abc", 0, len(text)) is None


FOX = "the quick brown fox jumps over the lazy dog"


@pytest.mark.parametrize(
    ("stricter", "expected"),
    [
        (0.0, Match(4, 25, "resembling", 0.892)),  # 94.44 above 78
        (16.4, Match(4, 25, "resembling", 0.722)),  # above 94.4
        (16.5, None),
    ],
)
def test_a_bar_can_be_raised(stricter: float, expected: Match | None) -> None:
    assert Locator(FOX).resemble("quick brown fix jumps", 0, len(FOX), stricter) == expected


def test_edges_in_mid_word_move_to_the_words() -> None:
    """2 × 15 / 33 is 90.91; up to “fox” it would be 2 × 12 / 28."""
    assert Locator(FOX).resemble("uick brown fox jum", 0, len(FOX)) == Match(4, 25, "resembling", 0.855)


@pytest.mark.parametrize(("first", "second", "slack"), [(10, 10, 4), (14, 18, 6), (100, 200, 40)])
def test_edges_move_by_a_quarter_of_the_quote_but_by_four_to_forty_letters(first: int, second: int, slack: int) -> None:
    chance = random.Random(1)
    words = ["".join(chance.choices(LETTERS, k=length)) for length in (first, second)]
    text = " ".join(words)
    for short, there in ((slack, True), (slack + 1, False)):
        match = Locator(text).resemble(f"{words[0][short:]} {words[1]}", 0, len(text))
        assert there == (match is not None and (match.start, match.end) == (0, len(text)))
        text_back = " ".join(reversed(words))
        match = Locator(text_back).resemble(f"{words[1]} {words[0][:-short]}", 0, len(text_back))
        assert there == (match is not None and (match.start, match.end) == (0, len(text)))


def test_the_first_four_hundred_letters_of_a_quote_are_held_against_the_text() -> None:
    chance = random.Random(2)
    text = " ".join("".join(chance.choices(LETTERS, k=5)) for _ in range(100))
    match = Locator(text).resemble(text[:480] + "0123456789" * 30, 0, len(text))
    assert match == Match(0, 479, "resembling", 0.94)  # 80 words and 79 spaces


def test_a_stretch_shorter_than_the_quote_is_held_against_all_of_it() -> None:
    assert Locator("quick brown").resemble("quick brown f", 0, 11) == Match(0, 11, "resembling", 0.877)  # 2 × 10 / 21
    assert Locator("quick brown").resemble("quick brown fox jumps", 0, 11) is None  # 2 × 10 / 28
    assert Locator(FOX).resemble("quick brown", 4, 4) is None


def test_resemblance_is_looked_for_in_the_stretch_alone_and_in_one_line() -> None:
    text = "alpha beta gamma. alpha beta gamma."
    first, second = (Locator(text).resemble("alpha beta gamna", *stretch) for stretch in ((0, 17), (17, 35)))
    assert first is not None
    assert second is not None
    assert (first.start, first.end) == (0, 16)
    assert (second.start, second.end) == (18, 34)
    match = Locator("Title\nquick brown fox jumps\nEnd").resemble("quick brown fix jumps", 0, 31)
    assert match == Match(6, 27, "resembling", 0.892)
    match = Locator("see-quick brown fox.").resemble("quick brown fix", 0, 20)
    assert match is not None
    assert (match.start, match.end) == (4, 19)
    assert Locator("quick\nbrown fox jumps").resemble("quick brown fix jumps", 0, 21) is None
    assert Locator(FOX).resemble("entirely different words", 0, len(FOX)) is None


def test_the_same_words_elsewhere_do_not_overlap_the_ones_given() -> None:
    assert same_words("the cat and The cat", 0, 7) == [(0, 7), (12, 19)]
    assert same_words("中中中", 1, 3) == [(1, 3)]
    assert same_words("中中", 0, 1) == [(0, 1), (1, 2)]
    assert same_words("中中", 1, 2) == [(0, 1), (1, 2)]
