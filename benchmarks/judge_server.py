"""A model's server that answers every question of Metric-S at a set pace, in a process of its own.

Its answers are those of a judge that found something, quoting the texts it was sent to the letter.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from typing import Any

from benchmarks.process import ROOT, environment
from tests.support.scripted_server import Request, Response, ScriptedServer, chat

_PARAGRAPH = re.compile(r"^\[([ST])(\d+)\] (.+)$", re.MULTILINE)
_ADVICE = {"explanation": "二者指向同一处译文，根源相同。", "keep": ["accuracy 1"], "drop": ["fluency 1"]}
_EXPLANATION = "此处表达未能准确传达原文的专业含义，读者会误解这一机构或概念的性质，与上下文也不一致。"


@contextmanager
def serving(delay: float, findings: int) -> Iterator[str]:
    """Yield the address of such a server: ``delay`` seconds a call, so many findings a judge."""
    command = [sys.executable, "-m", "benchmarks.judge_server", str(delay), str(findings)]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate()


def answer(body: Mapping[str, Any], findings: int) -> str:
    """Return what a judge answers to a request of OpenAI's protocol, as the schema sent with it asks."""
    user = body["messages"][-1]["content"]
    places = islice(cycle(_PARAGRAPH.findall(user) or [("T", "1", "–")]), findings)
    if "response_format" not in body:
        return json.dumps([_finding(place, {}) for place in places], ensure_ascii=False)
    properties = body["response_format"]["json_schema"]["schema"]["properties"]
    if "items" not in properties:
        return json.dumps({"explanation": "译文完整，语言正确。", "verdict": "pass"}, ensure_ascii=False)
    items = properties["items"]
    asked = items["items"]["properties"]
    said: dict[str, Any]
    if "drop" in asked:
        said = {"items": [_ADVICE], "conclusion": "duplicates_found"}
    elif "met" in asked:
        said = {"items": [_verdict(number) for number in range(1, items["maxItems"] + 1)]}
    else:
        said = {"items": [_finding(place, asked) for place in places], "conclusion": "errors_found"}
    return json.dumps(said, ensure_ascii=False)


def _finding(place: Sequence[str], asked: Mapping[str, Any]) -> dict[str, Any]:
    side, number, text = place
    return {
        "paragraph": {"source": None, "target": None} | {"source" if side == "S" else "target": int(number)},
        **{name: asked[name]["enum"][0] for name in ("category", "severity") if name in asked},
        "source_quote": text[:24] if side == "S" else None,
        "target_quote": text[-24:] if side == "T" else None,
        "target_context": None,
        "explanation": _EXPLANATION,
        "suggestion": None,
    }


def _verdict(number: int) -> dict[str, Any]:
    nowhere = {"source_quote": None, "target_quote": None, "target_context": None}
    where = {"paragraph": {"source": 1, "target": 1}, **nowhere}
    return {"number": number, **where, "explanation": "该术语翻译正确。", "met": number > 1}


def _serve(delay: float, findings: int) -> None:
    def handle(request: Request) -> Response:
        server.requests.clear()  # or it would hold on to all that ever came
        return Response(body=chat(answer(request.json, findings)), delay=delay)

    server = ScriptedServer(("POST", "/v1/chat/completions", handle))
    with server:
        print(f"{server.url}/v1", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    _serve(float(sys.argv[1]), int(sys.argv[2]))
