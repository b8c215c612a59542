"""Gemini's generateContent as a test scripts it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.support.scripted_server import Request, Response, Route

Said = Response | str | dict[str, Any]


def generated(
    text: str | None,
    finish: str | None = "STOP",
    usage: Mapping[str, int] | None = None,
    model: str = "scripted-gemini-1",
    thoughts: str | None = None,
) -> dict[str, Any]:
    """Return a GenerateContentResponse. ``text`` None: a candidate without any content."""
    parts = [{"text": thoughts, "thought": True}] if thoughts is not None else []
    parts += [{"text": text}] if text is not None else []
    candidate: dict[str, Any] = {"index": 0}
    if parts:
        candidate["content"] = {"role": "model", "parts": parts}
    if finish:
        candidate["finishReason"] = finish
    counted = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120} if usage is None else usage
    return {"candidates": [candidate], "usageMetadata": counted, "modelVersion": model, "responseId": "r1"}


def blocked(reason: str) -> dict[str, Any]:
    """Return what comes for a prompt that a filter stopped."""
    return {
        "promptFeedback": {"blockReason": reason},
        "usageMetadata": {"promptTokenCount": 100, "totalTokenCount": 100},
        "modelVersion": "scripted-gemini-1",
    }


def google_error(
    status: int,
    word: str,
    message: str,
    *details: Mapping[str, Any],
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return an error as Google's APIs have it."""
    error: dict[str, Any] = {"code": status, "message": message, "status": word}
    if details:
        error["details"] = list(details)
    return Response(status, {"error": error}, headers or {})


def reason(word: str) -> dict[str, Any]:
    """Return the detail that names the reason of an error."""
    return {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": word, "domain": "googleapis.com"}


def retry_in(delay: str) -> dict[str, Any]:
    """Return the detail that says how long to wait."""
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


def violated(quota: str, value: str) -> dict[str, Any]:
    """Return the detail that names the quota that was used up."""
    violation = {"quotaMetric": "generativelanguage.googleapis.com/requests", "quotaId": quota, "quotaValue": value}
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]}


def gemini(script: Callable[[dict[str, Any], int], Said]) -> Route:
    """Return the route of generateContent. ``script`` gets a request's body and its number, from 1.

    It returns the text of a good answer, a whole body, or a Response.
    """
    count = 0

    def handle(request: Request) -> Response:
        nonlocal count
        count += 1
        said = script(request.json, count)
        return said if isinstance(said, Response) else Response(body=generated(said) if isinstance(said, str) else said)

    return ("POST", r"/v1beta/(models|tunedModels)/[^/]+:generateContent", handle)
