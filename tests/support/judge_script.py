"""A model as a test scripts it: it knows what a question is about, answers it properly, and can be told not to.

``with ScriptedServer(openai(judge)) as server:`` (or ``gemini(judge)``) asks it over a socket. What it finds is always
the same, with words that stand in the documents:

- accuracy: a major error at the beginning of the first paragraph, a critical one at that of the last;
- rubric: the first point is violated, every other met;
- fluency: a minor error at the beginning of the second paragraph;
- appropriateness: a major one of the same words as the first of accuracy, which de-duplication drops for that.

It mends a passage by a word before it, and prefers what has that word.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.scripted_server import Response

SCORE = {"total": 78, "accuracy": 40, "fluency": 18, "appropriateness": 20}
"""What the metric makes of it: 60 − 5 − 10 − 5 for the violated point, 20 − 2, 20."""
WITHOUT_POINTS = SCORE | {"total": 83, "accuracy": 45}
"""The same of an article without rubric points."""
POINTS = {"accuracy": 51, "fluency": 17, "appropriateness": 16}
"""What it says when it is asked for bare points."""

Said = Response | str | Mapping[str, Any]
Says = Said | Callable[["Question", int], Said | None]
"""What is said at a step instead: always the same, or by the question and how often it was asked (from 1; None: the
proper answer)."""

_SHAPES = {
    "single_detailed": '{"instruction_check": {',
    "instruction_check": '"verdict": "pass|fail"}',
    "rubric": '"met": true|false',
    "deduplication": '"duplicates_found|no_duplicates"',
    "repair": '{"items": [{"number": 1, "text": ',
    "single_simple": '{"accuracy": 0-60',
    "mend": '{"mended": "<',
    "comparison": '"better": "first|',
    "accuracy": '"mistranslation|omission|',
    "fluency": '"disfluent_phrasing|grammar|',
    "appropriateness": '"style|tone|',
}
"""Step → what only the shape of its answer holds, the widest first."""
MENDED = "Mended:"
"""The word before a passage that it mended."""
_BLOCK = re.compile(r"<([a-z]+)-([0-9a-f]{10})>\n(.*?)\n</\1-\2>", re.DOTALL)
_QUOTED = 40
"""Characters of a paragraph that are quoted."""


@dataclass(frozen=True)
class Question:
    """What one request asks. ``blocks``: name → the lines between its tags, without the numbers of paragraphs.

    ``form``: how strictly it wants JSON ("json_schema", "json_object", "none"). ``room``: tokens for the answer.
    """

    step: str
    system: str
    message: str
    blocks: Mapping[str, tuple[str, ...]]
    form: str
    room: int | None

    @property
    def source(self) -> tuple[str, ...]:
        """The paragraphs of the source."""
        return self.blocks.get("source", ())

    @property
    def translation(self) -> tuple[str, ...]:
        """The paragraphs of the translation."""
        return self.blocks.get("translation", ())

    @property
    def points(self) -> list[int]:
        """The numbers of the rubric's points."""
        return [int(line.partition(".")[0]) for line in self.blocks.get("points", ())]

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Question:
        """The question that a body of either protocol puts. Raises AssertionError if a fence in it does not hold."""
        if "messages" in body:
            texts = {message["role"]: message["content"] for message in body["messages"]}
            system, message = texts.get("system", ""), texts["user"]
            form = body.get("response_format", {}).get("type", "none")
            room = body.get("max_tokens") or body.get("max_completion_tokens")
        else:
            config = body.get("generationConfig", {})
            system = "".join(part["text"] for part in body.get("systemInstruction", {}).get("parts", ()))
            ((message,),) = [[part["text"] for part in content["parts"]] for content in body["contents"]]
            json_asked = config.get("responseMimeType") == "application/json"
            form = "none" if not json_asked else "json_schema" if "responseJsonSchema" in config else "json_object"
            room = config.get("maxOutputTokens")
        steps = [step for step, shape in _SHAPES.items() if shape in message.rpartition("\n")[2]] or ["translation"]
        return cls(steps[0], system, message, blocks(message), form, room)


def blocks(message: str) -> dict[str, tuple[str, ...]]:
    """Return what stands between the tags of a message, read as strictly as can be. Raises AssertionError."""
    found: dict[str, tuple[str, ...]] = {}
    for name, word, content in _BLOCK.findall(message):
        assert name not in found, f"two blocks are called {name}"
        assert word not in content, f"the word of {name}'s tags stands in it"
        lines = content.split("\n")
        assert not any(re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029]", line) for line in lines), f"a control in {name}"
        letter = {"source": "S", "translation": "T"}.get(name)
        for number, line in enumerate(lines, 1):
            assert letter is None or line.startswith(f"[{letter}{number}] "), f"{name}: {line[:20]!r} at {number}"
        found[name] = tuple(line.partition("] ")[2] if letter else line for line in lines)
    return found


@dataclass
class ScriptedJudge:
    """The judge. ``says``: by step ("*" for all), what it says instead. ``asked``: every question, in order."""

    says: Mapping[str, Says] = field(default_factory=dict)
    asked: list[Question] = field(default_factory=list)
    _times: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __call__(self, body: Mapping[str, Any], number: int = 0) -> Any:
        """Answer a request's body: with an answer's text, a whole body, or a Response."""
        question = Question.of(body)
        self.asked.append(question)
        self._times[question.step, question.message] += 1
        says = self.says.get(question.step, self.says.get("*"))
        said = says(question, self._times[question.step, question.message]) if callable(says) else says
        return answer(question) if said is None else said

    @property
    def steps(self) -> Counter[str]:
        """How often each step was asked."""
        return Counter(question.step for question in self.asked)


def answer(question: Question) -> str:
    """Return the proper answer to a question, as text."""
    if question.step == "translation":
        return f"Translated: {question.message.rpartition(chr(10))[2]}"
    said: dict[str, Callable[[], Any]] = {
        "instruction_check": lambda: _CHECK,
        "accuracy": lambda: found(*_accuracy(question)),
        "rubric": lambda: {"items": _verdicts(question)},
        "fluency": lambda: found(_fluency(question)),
        "appropriateness": lambda: found(_appropriateness(question)),
        "deduplication": lambda: _deduplication(question),
        "repair": lambda: {"items": _repairs(question)},
        "single_simple": lambda: POINTS,
        "mend": lambda: {"mended": f"{MENDED} {question.blocks['passage'][0]}"},
        "comparison": lambda: preferring(question, MENDED),
        "single_detailed": lambda: _detailed(question),
    }
    return json.dumps(said[question.step](), ensure_ascii=False)


def preferring(question: Question, word: str) -> dict[str, Any]:
    """Return a comparison that prefers the version which begins with a word; none where both or neither do."""
    first, second = (question.blocks[name][0].startswith(word) for name in ("first", "second"))
    better = "equal" if first == second else "first" if first else "second"
    return {"explanation": f"{better}, for “{word}”", "better": better}


def found(*items: Mapping[str, Any]) -> dict[str, Any]:
    """Return a judge's list, with its word on whether it found anything."""
    return {"items": list(items), "conclusion": "errors_found" if items else "no_errors"}


def finding(question: Question, place: int, category: str, severity: str, **changes: Any) -> dict[str, Any]:
    """Return a finding that quotes the beginning of a paragraph (by its index, which may be negative) of both texts."""
    return {
        **_where(question, place),
        "category": category,
        "severity": severity,
        "explanation": f"{category} at the beginning",
        "suggestion": None,
        **changes,
    }


def quote(paragraphs: Sequence[str], place: int) -> str:
    """Return the words that are quoted of a paragraph."""
    return paragraphs[place][:_QUOTED].strip()


_CHECK = {"explanation": "a whole translation", "verdict": "pass"}


def _index(paragraphs: Sequence[str], place: int) -> int:
    return len(paragraphs) - 1 if place < 0 else min(place, len(paragraphs) - 1)


def _where(question: Question, place: int) -> dict[str, Any]:
    source, target = _index(question.source, place), _index(question.translation, place)
    return {
        "paragraph": {"source": source + 1, "target": target + 1},
        "source_quote": quote(question.source, source),
        "target_quote": quote(question.translation, target),
        "target_context": None,
    }


def _accuracy(question: Question) -> list[dict[str, Any]]:
    return [
        finding(question, 0, "mistranslation", "major", suggestion="better words"),
        finding(question, -1, "omission", "critical"),
    ]


def _fluency(question: Question) -> dict[str, Any]:
    return finding(question, 1, "grammar", "minor")


def _appropriateness(question: Question) -> dict[str, Any]:
    return finding(question, 0, "style", "major")


def _verdicts(question: Question) -> list[dict[str, Any]]:
    where = _where(question, 0)
    return [
        {"number": number, **where, "explanation": f"point {number}", "met": place > 0}
        for place, number in enumerate(question.points)
    ]


def _deduplication(question: Question) -> dict[str, Any]:
    listed = {json.loads(line)["finding"] for line in question.blocks["findings"]}
    if not {"accuracy 1", "appropriateness 1"} <= listed:
        return {"items": [], "conclusion": "no_duplicates"}
    line = {"explanation": "the same words", "keep": ["accuracy 1"], "drop": ["appropriateness 1"]}
    return {"items": [line], "conclusion": "duplicates_found"}


def _repairs(question: Question) -> list[dict[str, Any]]:
    wanted = map(json.loads, question.blocks["quotes"])
    texts = {"source": question.source, "translation": question.translation}
    return [{"number": each["number"], "text": quote(texts[each["side"]], 0)} for each in wanted]


def _detailed(question: Question) -> dict[str, Any]:
    items = (*_accuracy(question), _fluency(question), _appropriateness(question))
    return {"instruction_check": _CHECK, "rubric": _verdicts(question), **found(*items)}
