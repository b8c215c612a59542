"""Grounding and alignment through their public surface: what must hold of any text, and the cases with right answers."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.grounding import (
    METHOD,
    Report,
    align,
    ground,
    ground_rubric_point,
    paragraphs,
    prepare,
    same_words,
)
from judges.grounding.fuzzy_search import Locator
from judges.grounding.ground import predict
from judges.grounding.hints import Hint, read_hint
from judges.grounding.normalization import Folded, fold

SHARED = Path(os.environ.get("DISCOX_SHARED", Path(__file__).parents[4] / "shared")) / "cases" / "grounding"

HOSTILE = st.lists(
    st.one_of(
        st.sampled_from(
            "“”\"‘’'「」《》【】…。，；：()（）[]/、-—\n\r\t\x00\u2028\u202e\u200d\ufeff 原文译为应不是如即"
        ),
        st.sampled_from(
            ["é", "e\u0301", "ﬁ", "①", "Ａ", "ß", "İ", "😀", "👩‍👩‍👧", "한", "か", "𠮷", "译文", "应译为", "sea "]
        ),
        st.characters(),
    ),
    max_size=120,
).map("".join)
CHINESE = "茶馆里人声鼎沸。\n说书先生一拍醒木，满堂鸦雀无声。\n茶客们拍案叫绝。"
ENGLISH = "The tea house was loud.\nThe storyteller struck his block; silence fell.\nThe guests applauded."


class TestParagraphs:
    def test_are_the_lines_that_are_not_blank(self):
        text = "one\r\n\r\n  two \n\t\nthree\u2028still three\n"
        assert [text[p.start : p.end] for p in paragraphs(text)] == ["one", "two", "three\u2028still three"]

    def test_of_nothing(self):
        assert paragraphs("") == ()
        assert paragraphs(" \n\t\n") == ()

    @given(HOSTILE)
    def test_never_overlap_and_hold_all_that_is_not_space(self, text):
        found = paragraphs(text)
        assert all(a.end <= b.start for a, b in itertools.pairwise(found))
        outside = "".join(
            text[a:b] for a, b in zip([0, *[p.end for p in found]], [*[p.start for p in found], None], strict=True)
        )
        assert not outside.strip()


class TestFolding:
    @given(HOSTILE)
    def test_the_map_back_is_monotone_and_inside_the_text(self, text):
        folded = Folded(text)
        origin = list(folded.origin)
        assert len(origin) == len(folded.string)
        assert origin == sorted(origin)
        assert all(0 <= k < len(text) for k in origin)
        assert folded.string == fold(text)

    def test_undoes_what_people_change_when_they_quote(self):
        assert fold("It’s  “Ａ—B”") == fold('it\'s "a-b"')
        assert fold("cafe\u0301") == fold("CAFÉ")


class TestLocating:
    @given(HOSTILE, st.data())
    def test_an_exact_match_is_the_quote_itself(self, text, data):
        start = data.draw(st.integers(0, len(text)))
        quote = text[start : start + data.draw(st.integers(1, 12))]
        for match in Locator(text).find(quote):
            assert 0 <= match.start < match.end <= len(text)
            if match.method == "exact":
                assert text[match.start : match.end] == quote.strip()
            if match.method == "folded":
                assert fold(text[match.start : match.end]) == fold(quote)

    def test_words_are_whole(self):
        locator = Locator("The art of starting; part of the heart. 依赖guide和翻译 in 2013")
        assert len(locator.find("art")) == 1
        assert locator.find("guide")[0].method == "exact"
        assert locator.find("13") == []

    def test_levels_from_strict_to_loose(self):
        locator = Locator("He said: “It’s a *very* old – story”, and the stories (all of them) ended there.")
        assert locator.find("a very old story")[0].method == "letters"
        assert locator.find("it's a *VERY* old - story")[0].method == "folded"
        assert locator.find("It’s … story")[0].method == "ellipsis"
        assert locator.find("an unwritten story") == []

    def test_does_not_find_what_is_not_there(self):
        text = "She walked along the river in the early morning, thinking of nothing in particular."
        locator = Locator(text)
        assert locator.resemble("the treaty was signed by both parties", 0, len(text)) is None
        found = locator.resemble("she walks along a river in the early mornings", 0, len(text))
        assert found is not None
        assert text[found.start : found.end] == "She walked along the river in the early morning"


class TestAlignment:
    def test_follows_merged_and_split_paragraphs(self):
        source = "一九九八年，他来到上海，在一家纺织厂做工。\n\n三年以后，他开了一家小店，卖布料和纽扣。\n\n生意很好。\n\n2008年，店关了。"
        target = (
            "In 1998 he came to Shanghai and worked in a textile mill. Three years later he opened a small shop selling "
            "fabric and buttons.\n\nBusiness was good.\n\nIn 2008 the shop closed."
        )
        assert [(b.source, b.translation) for b in align(source, target, "zh-en")] == [
            ((0, 1), (0,)),
            ((2,), (1,)),
            ((3,), (2,)),
        ]

    def test_sees_a_paragraph_left_out(self):
        source = "\n".join(
            f"第{k}段说的是一件不同的事情，编号{k}{k}{k}，内容很长，需要翻译成英文。" for k in range(1, 7)
        )
        kept = [k for k in range(1, 7) if k != 4]
        target = "\n".join(
            f"Paragraph {k} tells of a different matter, number {k}{k}{k}; it is long and has to be translated into English."
            for k in kept
        )
        beads = align(source, target, "zh-en")
        assert [b for b in beads if not b.translation] == [beads[3]]
        assert beads[3].source == (3,)

    @given(st.lists(HOSTILE, max_size=20), st.lists(HOSTILE, max_size=20))
    def test_holds_every_paragraph_once_and_in_order(self, source, target):
        source, target = "\n".join(source), "\n".join(target)
        beads = align(source, target, "zh-en")
        assert [k for b in beads for k in b.source] == list(range(len(paragraphs(source))))
        assert [k for b in beads for k in b.translation] == list(range(len(paragraphs(target))))

    def test_very_unequal_sides(self):
        beads = align("\n".join("段落" for _ in range(90)), "One.\nTwo.", "zh-en")
        assert [k for b in beads for k in b.source] == list(range(90))

    def test_sentences_inside_one_giant_paragraph(self):
        source = "".join(f"第{k}句话讲的是编号为{k}的一件事。" for k in range(400))
        target = " ".join(f"Sentence {k} tells of the matter numbered {k}." for k in range(400))
        beads, left, right = prepare(source, target, "zh-en").sentence_beads(0)
        linked = [
            (left[bead.source[0]], right[bead.translation[0]]) for bead in beads if bead.source and bead.translation
        ]
        assert len(linked) > 350
        alike = sum(source[s.start : s.end].split("句")[0][1:] == target[t.start : t.end].split()[1] for s, t in linked)
        assert alike / len(linked) > 0.95


class TestHints:
    @pytest.mark.parametrize(
        ("written", "numbers"),
        [
            ("3", {3}),
            ("第3段", {3}),
            ("第十二段", {12}),
            ("第二十段", {20}),
            ("段落 2-3", {2, 3}),
            ("P3", {3}),
            ("[T3]", {3}),
            ("5、9", {5, 9}),
            ("第3、4段", {3, 4}),
            ("paragraph 7", {7}),
            ("全文", set()),
            ("", set()),
        ],
    )
    def test_in_the_forms_judges_use(self, written, numbers):
        assert read_hint(written) == Hint(frozenset(numbers))

    def test_a_title(self):
        assert read_hint("标题").title
        assert read_hint("小标题").title

    def test_are_not_trusted_when_the_quotes_contradict_them(self):
        words = ["alder", "birch", "cedar", "durian", "elm", "fir", "ginkgo"]
        source = "\n".join(f"这里写的是关于树木的第{k}件事，各不相同。" for k in range(7))
        target = "\n".join(
            f"Here something is written about the {w} tree by itself, and it is a common word." for w in words
        )
        pair = prepare(source, target, "zh-en")
        shifted = [Report(f"译文“written about the {w} tree”不妥。", str(k + 3)) for k, w in enumerate(words[:5])]
        asked = Report("译文“a common word”不妥。原文“第5件事”。", "2")
        assert ground(pair, [*shifted, asked])[-1].translation_paragraph == 5
        alone = ground(pair, [Report("译文“a common word”不妥。", "2")])[0]
        assert alone.translation_paragraph == 1


class TestGrounding:
    @given(HOSTILE, HOSTILE, HOSTILE, HOSTILE, st.sampled_from(["zh-en", "en-zh", "en-de", "", "?"]))
    def test_never_raises_and_stays_inside_the_texts(self, source, target, prose, hint, direction):
        pair = prepare(source, target, direction)
        reports = [
            Report(prose, hint, "漏译", prose),
            Report(f"原文“{source[:20]}”译为“{target[:20]}”{prose}", hint, None),
        ]
        for grounded in [*ground(pair, reports), ground_rubric_point(pair, prose)]:
            for span in grounded.spans:
                text = source if span.side == "source" else target
                assert 0 <= span.start <= span.end <= len(text)
                assert span.role == "anchor" or span.start < span.end
                assert 0 <= span.confidence <= 1
                assert 1 <= span.occurrence <= span.occurrences
            for paragraph, text in (
                (grounded.source_paragraph, source),
                (grounded.translation_paragraph, target),
            ):
                assert paragraph is None or 0 <= paragraph < max(1, len(paragraphs(text)))

    @pytest.mark.parametrize(
        "prose",
        [
            "‘" * 6000,
            "“" * 3000 + "”" * 3000,
            "' " * 3000,
            "原文：" * 2000,
            "应" * 6000,
            "“" + "the … " * 900 + "”",
            "“" + "茶/" * 900 + "”",
            "“茶" * 3000,
            '"the tea ' * 701,
            "→茶" * 3000,
        ],
        ids=lambda prose: prose[:4],
    )
    def test_endless_repetition_ends(self, prose):
        pair = prepare("的茶，" * 300, "the tea " * 200, "zh-en")
        assert len(ground(pair, [Report(prose, "第3段" * 100, "错译", prose)])) == 1
        ground_rubric_point(pair, prose)

    def test_empty_texts(self):
        pair = prepare("", "", "zh-en")
        grounded = ground(pair, [Report("原文“茶馆”译为“tea house”。", "3", "错译")])[0]
        assert grounded.spans == ()
        assert set(grounded.unlocated) == {("source", "茶馆"), ("translation", "tea house")}
        assert ground(pair, []) == []

    def test_is_the_same_every_time_and_alone(self):
        pair = prepare(CHINESE, ENGLISH, "zh-en")
        reports = [Report("“醒木”译为“block”不妥。", "2", "错译"), Report("“茶客们”译为“guests”可以。", "3", "错译")]
        assert ground(pair, reports) == ground(pair, reports) == [ground(pair, [r])[0] for r in reports]

    def test_a_wide_quote_is_the_context_of_an_inner_word(self):
        pair = prepare(CHINESE, ENGLISH, "zh-en")
        spans = ground(
            pair, [Report("原文“说书先生一拍醒木”中的“醒木”，译文“struck his block”过于笼统。", "", "错译")]
        )[0].spans
        assert [(s.role, pair.sides[s.side].text[s.start : s.end]) for s in spans] == [
            ("context", "说书先生一拍醒木"),
            ("quote", "醒木"),
            ("quote", "struck his block"),
        ]

    def test_an_omission_is_anchored_opposite(self):
        pair = prepare(CHINESE, ENGLISH, "zh-en")
        [grounded] = ground(pair, [Report("“一拍”没有译出。", "", "漏译")])
        [anchor] = [s for s in grounded.spans if s.role == "anchor"]
        assert anchor.side == "translation"
        assert anchor.start == anchor.end
        assert pair.sides["translation"].paragraph_at(anchor.start) == 1
        assert grounded.translation_paragraph == 1

    def test_what_occurs_nowhere_is_said_to(self):
        pair = prepare(CHINESE, ENGLISH, "zh-en")
        [grounded] = ground(pair, [Report("译文“an enormous green parrot”是误译。", "2", "错译")])
        assert grounded.spans == ()
        assert grounded.unlocated == (("translation", "an enormous green parrot"),)
        assert grounded.translation_paragraph == 1

    def test_an_ambiguous_place_stays_uncertain(self):
        pair = prepare("他说好。他又说好。", "He said fine. Again he said fine.", "zh-en")
        [span] = ground(pair, [Report("译文“said fine”生硬。", "", "语言流畅度")])[0].spans
        assert (span.occurrence, span.occurrences) == (1, 2)
        assert span.lit
        assert span.confidence < 0.95

    def test_a_rubric_point_stands_in_for_an_explanation_without_quotes(self):
        pair = prepare(CHINESE, ENGLISH, "zh-en")
        report = Report("译文未按要求翻译，判错误。", "", "考点", "考点3：“醒木”应译为“gavel block”。")
        [span] = ground(pair, [report])[0].spans
        assert pair.sides["source"].text[span.start : span.end] == "醒木"

    def test_the_script_need_not_tell_the_sides_apart(self):
        pair = prepare("The cat sat on the mat.", "Die Katze saß auf der Matte.", "en-de")
        spans = ground(pair, [Report('The source "on the mat" is translated as "auf der Matte".', "", None)])[0].spans
        assert [(s.side, pair.sides[s.side].text[s.start : s.end]) for s in spans] == [
            ("source", "on the mat"),
            ("translation", "auf der Matte"),
        ]

    def test_one_paragraph_of_sixteen_thousand_characters(self):
        source = "".join(f"第{k}位茶客慢慢喝茶，掌柜的看着他，什么也没有说。" for k in range(640))
        target = " ".join(f"Guest number {k} drank his tea; the keeper watched him." for k in range(640))
        pair = prepare(source, target, "zh-en")
        report = Report("“第300位茶客”之后的“掌柜的”译为“the keeper”，原文“什么也没有说”漏译。", "", "漏译")
        spans = ground(pair, [report])[0].spans
        lit = {source[s.start : s.end]: s.start for s in spans if s.side == "source"}
        assert abs(lit["第300位茶客"] - lit["掌柜的"]) < 60
        keeper = next(s for s in spans if s.side == "translation")
        assert abs(keeper.start - target.index("Guest number 300 ")) < 250


class TestRubricPoints:
    PAIR = prepare(
        "茶馆很旧。\n老板爱茶馆，客人也爱茶馆。",
        "The teahouse is old.\nThe boss loves the tea bar, guests love the teahouse.",
        "zh-en",
    )

    def test_light_the_term_in_every_form(self):
        pair = prepare("A braided river is wide.\nBraided rivers move.", "辫状河很宽。\n辫状河会移动。", "en-zh")
        grounded = ground_rubric_point(pair, "考点1：“braided river”应译为“辫状河”。")
        lit = [pair.sides[s.side].text[s.start : s.end] for s in grounded.spans if s.side == "source"]
        assert lit == ["braided river", "Braided rivers"]

    def test_light_the_term_wherever_it_occurs(self):
        grounded = ground_rubric_point(self.PAIR, "考点1：“茶馆”推荐译为“teahouse”，不可译为“tea bar”。")
        source = [(s.occurrence, s.occurrences) for s in grounded.spans if s.side == "source"]
        assert source == [(1, 3), (2, 3), (3, 3)]
        named = [
            (s.method, self.PAIR.sides[s.side].text[s.start : s.end]) for s in grounded.spans if s.side == "translation"
        ]
        assert named == [("recommended", "teahouse"), ("forbidden", "tea bar"), ("recommended", "teahouse")]

    def test_a_term_without_quotes(self):
        grounded = ground_rubric_point(self.PAIR, "考点2：老板应译为 owner，因为指经营者。")
        assert [self.PAIR.sides["source"].text[s.start : s.end] for s in grounded.spans] == ["老板"]

    def test_a_term_that_is_not_there(self):
        assert ground_rubric_point(self.PAIR, "考点3：“咖啡”译为“coffee”").unlocated == (("source", "咖啡"),)


def test_importing_needs_no_numpy():
    code = "import judges.grounding, sys; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.skipif(not SHARED.exists(), reason="the cases with right answers are not here")
@pytest.mark.parametrize(
    ("name", "acceptable", "wrong"),
    [("cases", 0.98, 0.01), ("cases_free", 0.98, 0.01), ("cases_more_1", 0.93, 0.04), ("cases_more_2", 0.93, 0.02)],
)
def test_cases_with_right_answers(name, acceptable, wrong):
    spec = importlib.util.spec_from_file_location("score", SHARED / "score.py")
    assert spec is not None
    assert spec.loader is not None
    scoring = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scoring)
    data = json.loads((SHARED / f"{name}.json").read_text(encoding="utf-8"))
    predictions = [json.loads(json.dumps(p, ensure_ascii=False)) for p in predict(data)]
    assert [p["id"] for p in predictions] == [case["id"] for case in data["cases"]]
    assert {p["method"] for p in predictions} == {METHOD}
    figures = scoring.score(data, {p["id"]: p for p in predictions})
    assert figures["acceptable"] >= acceptable
    assert figures["wrong_side"] <= wrong
    assert figures["unlocated"] <= 0.02


@given(st.text(alphabet="ab 中文。-—\n", max_size=60), st.data())
def test_the_same_words_are_found_everywhere_and_the_given_place_among_them(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    places = same_words(text, start, end)
    assert (start, end) in places
    assert places == sorted(set(places))
    assert all(b <= start or a >= end for a, b in places if (a, b) != (start, end))


def test_the_same_words_in_other_quotation_marks_and_case_are_the_same() -> None:
    assert same_words("“Red” sky. A redder one. red sky", 1, 4) == [(1, 4), (25, 28)]
