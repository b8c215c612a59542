"""Findings whose judge quotes: the quotes checked, put right, and found again in the texts."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import get_args

from hypothesis import example, given
from hypothesis import strategies as st

from discox_tui.reports.render.phrases import quote_notes
from discox_tui.screens.review.presenter import detail
from discox_tui.sessions.review import ReviewSession
from judges.grounding import Checker, Report, check, ground, prepare
from judges.grounding.normalization import fold
from judges.model import EXACT, SIDES, Grounded, Quoted, QuoteNote, Side
from storage.integrity.opening import open_library
from tests.judges.grounding.test_ground import HOSTILE
from tests.support import builders

SOURCE = "茶馆里人声鼎沸。\n说书先生一拍醒木，满堂鸦雀无声。\n茶客们拍案叫绝，说书先生拱手。\n茶馆打烊，伙计扫地。"
TRANSLATION = (
    "The tea house was loud.\nThe storyteller struck his block; the hall fell silent.\n"
    "The guests applauded and the storyteller bowed.\nThe tea house closed, and the waiter swept the hall."
)
TEXTS: dict[Side, str] = {"source": SOURCE, "translation": TRANSLATION}


def one(quoted: Quoted, category: str = "mistranslation", explanation: str = "见引文。") -> Grounded:
    """Where a single finding of the tea house is."""
    report = Report(explanation, category=category, quoted=quoted)
    return ground(prepare(SOURCE, TRANSLATION, "zh-en"), [report])[0]


def lit(grounded: Grounded, side: Side, role: str = "quote") -> list[tuple[int, str]]:
    """Paragraph (from 1) and text of each span that is highlighted."""
    text = TEXTS[side]
    spans = [s for s in grounded.spans if s.side == side and s.role == role and s.lit]
    return [(1 + text.count("\n", 0, s.start), text[s.start : s.end]) for s in spans]


class TestChecking:
    def test_a_true_quote_is_left_as_it_is(self):
        quoted = Quoted("醒木", "his block", "struck his block", "his gavel", 2, 2)
        assert check(SOURCE, TRANSLATION, [quoted])[0].quoted == quoted
        assert check(SOURCE, TRANSLATION, [quoted])[0].missing == ()

    def test_small_slips_of_copying_are_forgiven_and_paraphrase_is_not(self):
        checker = Checker(SOURCE, TRANSLATION)
        assert checker.occurs("translation", "the  Storyteller STRUCK his block")
        assert checker.occurs("translation", "his block, the hall")
        assert checker.occurs("translation", "The storyteller … fell silent")
        assert checker.occurs("source", "说书先生……鸦雀无声")
        assert not checker.occurs("translation", "the storyteller hit his block")
        assert not checker.occurs("translation", "guesting")
        assert not checker.occurs("source", " \n")

    def test_swapped_sides_are_swapped_back(self):
        both, source_only, target_only = check(
            SOURCE, TRANSLATION, [Quoted("his block", "醒木"), Quoted("his block"), Quoted(None, "醒木")]
        )
        assert (both.quoted.source, both.quoted.translation) == ("醒木", "his block")
        assert (source_only.quoted.source, source_only.quoted.translation) == (None, "his block")
        assert (target_only.quoted.source, target_only.quoted.translation) == ("醒木", None)
        assert {checked.quoted.notes for checked in (both, source_only, target_only)} == {("sides_swapped",)}
        assert both.missing == source_only.missing == target_only.missing == ()

    def test_what_both_texts_hold_is_not_swapped(self):
        (checked,) = check("他说guide很好。", "He says guide 很好.", [Quoted("guide", "guide")])
        assert (checked.quoted.notes, checked.missing) == ((), ())
        (checked,) = check("他说很好。", "He says 很好.", [Quoted("很好", "很好", notes=("source_repaired",))])
        assert checked.quoted.notes == ("source_repaired",)

    def test_one_wrong_quote_beside_a_right_one_is_missing_and_not_swapped(self):
        (checked,) = check(SOURCE, TRANSLATION, [Quoted("his block", "the hall")])
        assert (checked.quoted.notes, checked.missing, checked.quotes) == ((), ("source",), 2)

    def test_a_quote_that_is_the_suggestion_is_noted_whether_it_occurs_or_not(self):
        real, invented = check(
            SOURCE,
            TRANSLATION,
            [Quoted("醒木", "his block", None, "His block."), Quoted("醒木", "his gavel", None, "“his gavel”")],
        )
        assert (real.quoted.notes, real.missing) == (("translation_is_suggestion",), ())
        assert (invented.quoted.notes, invented.missing) == (("translation_is_suggestion",), ("translation",))

    def test_blank_quotes_are_none(self):
        (checked,) = check(SOURCE, TRANSLATION, [Quoted("", " \u3000\n", "\t", "")])
        assert checked.quoted == Quoted()
        assert (checked.quotes, checked.missing) == (0, ())

    @given(HOSTILE, HOSTILE, st.lists(st.tuples(HOSTILE, HOSTILE, HOSTILE), max_size=3))
    @example("a.*[(\x00\ud800", "", [(".*", "[(", "\ud800")])
    def test_no_text_is_too_odd(self, source, translation, given_quotes):
        quoted = [Quoted(a, b, a, c) for a, b, c in given_quotes]
        checked = check(source, translation, quoted)
        assert len(checked) == len(quoted)
        checker = Checker(source, translation)
        for result in checked:
            texts = {"source": result.quoted.source, "translation": result.quoted.translation}
            assert all((text is None) or text.strip() for text in texts.values())
            for side in SIDES:
                assert (side in result.missing) == (
                    texts[side] is not None and not checker.occurs(side, texts[side] or "")
                )
        assert [
            replace(c, quoted=replace(c.quoted, notes=()))
            for c in check(source, translation, [c.quoted for c in checked])
        ] == [replace(c, quoted=replace(c.quoted, notes=())) for c in checked]

    def test_long_hostile_quotes_end(self):
        text = "a" * 16_000
        for quote in ("A" * 8_000, "a" + " " * 16_000 + "!", "a…" * 8_000, "(" * 16_000, "a!" * 8_000):
            Checker(text, "a " * 8_000).check([Quoted(quote, quote)])
            ground(prepare(text, "a " * 8_000, "en-zh"), [Report("", quoted=Quoted(quote, quote, quote + "!"))])


class TestPlacing:
    @given(HOSTILE, HOSTILE, st.data())
    def test_what_is_cut_out_of_a_text_is_verified_and_found_as_it_is(self, source, translation, data):
        quotes = {}
        for side, text in (("source", source), ("translation", translation)):
            start = data.draw(st.integers(0, len(text)))
            quotes[side] = text[start : start + data.draw(st.integers(1, 30))]
        numbers = data.draw(st.tuples(*[st.none() | st.integers(-1, 5)] * 2))
        (checked,) = check(source, translation, [Quoted(*quotes.values(), None, None, *numbers)])
        assert checked.missing == ()
        report = Report("", quoted=checked.quoted)
        (grounded,) = ground(prepare(source, translation, "zh-en"), [report])
        assert grounded.unlocated == ()
        texts = {"source": source, "translation": translation}
        for side in SIDES:
            places = [s for s in grounded.spans if s.side == side and s.role == "quote"]
            assert len(places) == bool(quotes[side].strip())
            for span in places:
                assert 0 <= span.start < span.end <= len(texts[side])
                assert fold(texts[side][span.start : span.end]) == fold(quotes[side])
                if span.method in ("exact", "cut"):
                    assert texts[side][span.start : span.end] == quotes[side].strip()

    @given(HOSTILE, HOSTILE, HOSTILE, HOSTILE, st.sampled_from(["词汇一致性", "漏译", "增译", ""]))
    def test_any_quotes_have_places_inside_the_texts(self, source, translation, one_quote, other, category):
        reports = [
            Report(other, category=category, quoted=Quoted(one_quote, other, one_quote + other)),
            Report(one_quote, category=category, quoted=Quoted(None, one_quote, other, other, 10**9, -3)),
            Report(other, category=category, quoted=Quoted()),
        ]
        texts = {"source": source, "translation": translation}
        for grounded in ground(prepare(source, translation, "zh-en"), reports):
            for span in grounded.spans:
                assert 0 <= span.start <= span.end <= len(texts[span.side])
                assert 0.0 <= span.confidence <= 1.0

    def test_ranges_are_half_open_code_points(self):
        source, translation = "😀茶馆👩‍👩‍👧打烊", "😀 The tea house 👩‍👩‍👧 closed"
        (grounded,) = ground(
            prepare(source, translation, "zh-en"), [Report("", quoted=Quoted("打烊", "👩‍👩‍👧 closed"))]
        )
        assert [(s.side, s.start, s.end) for s in grounded.spans] == [("source", 8, 10), ("translation", 16, 28)]

    def test_the_paragraph_chooses_among_repeated_quotes(self):
        for number in (2, 4):
            grounded = one(Quoted(None, "the hall", None, None, None, number), "style")
            assert lit(grounded, "translation") == [(number, "the hall")]
            (span,) = grounded.spans
            assert (span.occurrence, span.occurrences) == (number // 2, 2)
            assert grounded.translation_paragraph == number - 1

    def test_a_paragraph_that_does_not_hold_the_quote_is_a_slip(self):
        grounded = one(Quoted("扫地", "the hall", None, None, 1, 3))
        assert lit(grounded, "translation") == [(4, "the hall")]
        assert lit(grounded, "source") == [(4, "扫地")]
        assert grounded.source_paragraph == 3

    def test_the_other_sides_paragraph_serves_where_there_is_no_other(self):
        assert lit(one(Quoted("茶馆", "tea house", None, None, 4)), "translation") == [(4, "tea house")]
        assert lit(one(Quoted("茶馆", "tea house", None, None, None, 4)), "source") == [(4, "茶馆")]

    def test_the_context_chooses_and_is_shown_around(self):
        quoted = Quoted("说书先生", "storyteller", "the storyteller bowed", None, 2, 2)
        grounded = one(quoted)
        assert lit(grounded, "translation") == [(3, "storyteller")]
        assert lit(grounded, "translation", "context") == [(3, "the storyteller bowed")]
        for context in ("storyteller", "the storyteller wept", "The guests applauded"):
            assert not lit(one(replace(quoted, context=context)), "translation", "context")

    def test_a_quote_that_occurs_once_is_sure_whatever_the_other_side_says(self):
        grounded = one(Quoted("人声鼎沸", "swept the hall", None, None, 1, 1))
        assert [s.confidence >= EXACT for s in grounded.spans] == [True, True]

    def test_an_omission_has_an_anchor_at_the_place_opposite(self):
        grounded = one(Quoted("拱手", None, None, "saluted", 3), "omission")
        (anchor,) = [s for s in grounded.spans if s.side == "translation"]
        assert anchor.role == "anchor"
        assert (anchor.start == anchor.end, TRANSLATION.count("\n", 0, anchor.start)) == (True, 2)
        assert grounded.translation_paragraph == 2

    def test_an_addition_has_an_anchor_in_the_source(self):
        (anchor,) = [s for s in one(Quoted(None, "struck"), "over_translation").spans if s.side == "source"]
        assert (anchor.role, SOURCE.count("\n", 0, anchor.start)) == ("anchor", 1)

    def test_the_explanation_lights_nothing_of_its_own(self):
        grounded = one(Quoted("醒木", "his block"), explanation="“醒木”译为“his block”不当，“茶客”译为“The guests”。")
        assert lit(grounded, "translation") == [(2, "his block")]
        assert lit(grounded, "source") == [(2, "醒木")]

    def test_of_an_inconsistent_term_it_adds_the_other_renderings(self):
        source, translation = "纤夫走了。\n纤夫回来。", "The trackers left.\nThe boat pullers came back."
        report = Report(
            "“纤夫”前后译为“trackers”和“boat pullers”，不一致。",
            category="inconsistent_terminology",
            quoted=Quoted("纤夫", "trackers", None, "trackers", 1, 1),
        )
        (grounded,) = ground(prepare(source, translation, "zh-en"), [report])
        found = [translation[s.start : s.end] for s in grounded.spans if s.side == "translation" and s.lit]
        assert found == ["trackers", "boat pullers"]

    def test_an_invented_quote_is_not_located_and_said_so(self):
        grounded = one(Quoted("醒木", "an entirely different sentence about law", None, None, 2, 2))
        assert grounded.unlocated == (("translation", "an entirely different sentence about law"),)
        assert not lit(grounded, "translation")
        assert grounded.translation_paragraph == 1

    def test_a_garbled_quote_is_approximate_and_still_unlocated(self):
        grounded = one(Quoted("醒木", "The storyteler struk his block", None, None, 2, 2))
        assert lit(grounded, "translation") == [(2, "The storyteller struck his block")]
        assert all(s.confidence < EXACT for s in grounded.spans if s.side == "translation")
        assert grounded.unlocated == (("translation", "The storyteler struk his block"),)

    def test_nothing_that_resembles_the_judges_own_suggestion_is_lit(self):
        (checked,) = check(
            SOURCE, TRANSLATION, [Quoted("醒木", "struck his blocks hard", None, "struck his blocks hard", 2, 2)]
        )
        assert not lit(one(checked.quoted), "translation")

    def test_without_any_quote_the_explanation_is_read(self):
        grounded = one(Quoted(source_paragraph=2), explanation="“醒木”译为“his block”不当。")
        assert lit(grounded, "translation") == [(2, "his block")]
        grounded = one(Quoted(None, None, None, None, 3, 4), "style", "全段语气不符。")
        assert (grounded.spans, grounded.source_paragraph, grounded.translation_paragraph) == ((), 2, 3)


class TestShowing:
    def test_the_notes_in_words(self):
        quoted = Quoted("a", "b", notes=("sides_swapped", "translation_repaired", "source_not_found"))
        assert quote_notes(None, lost=True) == quote_notes(Quoted(), lost=True) == ""
        assert quote_notes(quoted, lost=False).count(";") == 1
        assert "not found" in quote_notes(quoted, lost=True)
        assert all(quote_notes(Quoted(notes=(note,)), lost=True) != note for note in get_args(QuoteNote))

    def test_screen_and_print_say_what_is_suggested_and_what_became_of_the_quotes(self, discox, tmp_path):
        quoted = Quoted("变浅", "grows shallow", None, "[red]runs low", 1, 1, ("sides_swapped",))
        finding = replace(builders.findings()[0], quoted=quoted)
        connection = open_library(tmp_path / "a.db")
        session = ReviewSession(connection, "mei")
        evaluation = session.open(builders.add(connection, found=(finding,)))
        (stored,) = evaluation.findings
        unquoted = replace(stored, finding=replace(stored.finding, quoted=None))
        plain = detail(evaluation, unquoted, session)
        more = [row for row in detail(evaluation, stored, session) if row not in plain]
        said = ["suggests  [red]runs low", "quotes  the judge gave them for the wrong sides"]
        assert ["".join(text for text, _ in row) for row in more] == said

        assert all(
            line.replace("  ", ": ") in discox("show", evaluation.id, "--db", tmp_path / "a.db").out for line in said
        )
        shown = json.loads(discox("show", evaluation.id, "--json", "--db", tmp_path / "a.db").out)["findings"][0]
        assert shown["quoted"] == asdict(quoted) | {"notes": ["sides_swapped"]}
        assert [span["text"] for span in shown["spans"]] == ["变浅", "grows shallow"]
