"""Predict the spans of a file of cases, so that the method can be scored against right answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from judges.grounding.documents import prepare
from judges.grounding.ground import METHOD, Report, ground


def predict(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield one prediction a case of ``{"documents": [...], "cases": [...]}``, in order of the cases.

    A document has ``id``, ``source`` and ``translation``; a case ``id``, ``document``, ``direction``, ``paragraph``,
    ``category`` and ``explanation``. A prediction has ``id`` and, as ``[start, end]`` code points, what would be
    highlighted: ``source_spans`` and ``translation_spans`` (with ``…_confidence`` beside them), and ``method``.
    The cases of a document are read together, as one report. Raises ``KeyError`` on a case without its document.
    """
    documents = {document["id"]: document for document in data["documents"]}
    together: dict[tuple[str, str], list[int]] = {}
    for number, case in enumerate(data["cases"]):
        together.setdefault((case["document"], case["direction"]), []).append(number)
    predictions: dict[int, dict[str, Any]] = {}
    for (name, direction), numbers in together.items():
        pair = prepare(documents[name]["source"], documents[name]["translation"], direction)
        reports = [
            Report(case["explanation"], str(case.get("paragraph") or ""), case.get("category"))
            for case in (data["cases"][number] for number in numbers)
        ]
        for number, grounded in zip(numbers, ground(pair, reports), strict=True):
            prediction: dict[str, Any] = {"id": data["cases"][number]["id"], "method": METHOD}
            for side in ("source", "translation"):
                lit = [s for s in grounded.spans if s.side == side and s.lit]
                prediction[f"{side}_spans"] = [[s.start, s.end] for s in lit]
                prediction[f"{side}_confidence"] = [s.confidence for s in lit]
            predictions[number] = prediction
    for number in range(len(data["cases"])):
        yield predictions[number]
