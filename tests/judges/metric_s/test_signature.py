"""Signatures: one line that says what decided a score, and can be read back."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.metric_s.protocol.prompts import Prompts
from judges.metric_s.protocol.protocol import SCHEMES, Judged, Settings
from judges.metric_s.protocol.signature import Signature
from judges.model import Judgement, Score
from judges.providers.model import Parameters

SETTINGS = Settings("openai", "https://api.example.org/v1", "some/judge:2", Parameters(16384, temperature=0.0))
HASH = Prompts.built_in().hash


def answered(*models: str, dropped: tuple[str, ...] = ()) -> Judged:
    return Judged(Judgement("scored", Score(60, 20, 20)), {}, models, ("json_object",), dropped)


def test_it_says_all() -> None:
    signature = Signature.of(SETTINGS, "0.2.0", answered("judge-2a", "judge-2b", dropped=("temperature",)))
    assert signature.text == (
        "metric-s|v:2|scheme:full|judge:some/judge:2|answered:judge-2a,judge-2b|provider:openai|"
        f"server:https://api.example.org/v1|prompts:discox-1/{HASH}|explain:zh|"
        "params:max_tokens=16384,temperature=0.0|dropped:temperature|format:json_object|weights:60/20/20-2/5/10/50/5|dedup:model+code|discox:0.2.0"
    )


def test_each_scheme_is_its_own() -> None:
    signatures = [Signature.of(replace(SETTINGS, scheme=scheme), "1") for scheme in SCHEMES]
    assert len({signature.asked for signature in signatures}) == len(SCHEMES)
    assert signatures[1].weights == "60/0/0-2/5/10/50/5"
    assert [signature.deduplication for signature in signatures] == [
        *["model+code"] * 3,
        "model",
        "none",
    ]


def test_what_was_asked_knows_no_answer_and_no_version() -> None:
    one = Signature.of(SETTINGS, "0.2.0", answered("a"))
    other = Signature.of(SETTINGS, "0.3.0", answered("b", dropped=("seed",)))
    assert one.asked == other.asked
    assert one.id != other.id
    own = Prompts.of("mine", {"fluency": "JSON"})
    for changed in (
        replace(SETTINGS, model="x"),
        replace(SETTINGS, server="http://127.0.0.1"),
        replace(SETTINGS, explain_in="en"),
        replace(SETTINGS, prompts=own),
        replace(SETTINGS, parameters=Parameters()),
    ):
        assert Signature.of(changed, "").asked != one.asked


words = st.text(st.one_of(st.characters(), st.sampled_from("|:,=% \n\r\u2028\ud800é模")))


@given(
    st.builds(
        Signature,
        *[words] * 6,
        st.dictionaries(words, words, max_size=3).map(lambda d: tuple(sorted(d.items()))),
        *[words] * 3,
        *[st.lists(words.filter(bool), max_size=3, unique=True).map(lambda names: tuple(sorted(names)))] * 3,
        words,
    )
)
def test_text_and_fields_read_back(signature: Signature) -> None:
    assert Signature.parse(signature.text) == signature
    assert Signature.from_fields(json.loads(json.dumps(signature.fields()))) == signature
    assert len(signature.text.splitlines()) == 1
    assert len(signature.id) == len(signature.asked) == 20


@pytest.mark.parametrize("text", ["", "metric-s", "bleu|v:1", "metric-s|v:1|scheme:full"])
def test_anything_else_is_no_signature(text: str) -> None:
    with pytest.raises(ValueError, match="no signature"):
        Signature.parse(text)
