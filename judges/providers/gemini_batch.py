"""Gemini's batch API: a file of requests goes up, a file of answers comes down."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import quote

from judges.providers.batch import (
    NOT_THERE,
    PATIENCE,
    Asked,
    BatchState,
    UnknownBatch,
    file_of,
    nothing_begun,
    refused_for_certain,
    results,
    trouble,
)
from judges.providers.errors import one_line, parsed
from judges.providers.gemini import Exchange, Gemini, body, model_path, object_in, text_in, told
from judges.providers.http import LARGEST_FILE
from judges.providers.model import Attempt, Form, NotAnswered, Request

_RUNNING = frozenset({"UNSPECIFIED", "QUEUED", "PENDING", "RUNNING", "CANCELLING", "PAUSED", "UPDATING"})
_NEVER_ASKED = 1
"""The number (of google.rpc.Code) on a request whose turn did not come, because the batch was cancelled."""


class GeminiBatches(Gemini):
    """Google's server. See ``judges.providers.batch.Batches``."""

    most_requests = 50_000
    largest = LARGEST_FILE
    most_bytes = 200_000_000
    """Google takes files of 2 GB (https://ai.google.dev/gemini-api/docs/batch-api) and names no number of requests;
    these are OpenAI's bounds, since a batch has to fit into memory here."""

    def line(self, request: Request, form: Form) -> bytes:
        """Return the line of the batch's file that asks a request, with its line end."""
        return json.dumps({"key": request.id, "request": body(request, form)}).encode() + b"\n"

    async def submit(self, requests: Sequence[Asked], token: str) -> str:
        """Hand in requests, all of one model, and return the server's name for the batch."""
        doing = "sending the batch's file"
        with nothing_begun():
            file = await self._exchange(PATIENCE, self._upload, file_of(self, requests), token)
            if file.status != 200:
                raise self._refused(doing, file)
        doing = "starting the batch"
        batch = {"batch": {"displayName": token, "inputConfig": {"fileName": file.text}}}
        path = f"{model_path(requests[0][0].model)}:batchGenerateContent"
        return self._named(doing, await self._object(doing, "post", path, batch))

    async def find(self, token: str) -> str | None:
        """Return the server's name for the batch that was handed in with a token, None if there is none."""
        async for batch in self._all():
            if text_in(object_in(batch, "metadata"), "displayName") == token:
                return self._named("looking for the batch", batch)
        return None

    async def collect(self, remote: str, requests: Mapping[str, Asked]) -> BatchState:
        """Return how a batch stands, with an attempt for every answer to one of ``requests``."""
        doing = f"asking for the batch {remote}"
        came = await self._exchange(PATIENCE, self._call, "get", quote(remote))
        if came.status == 404:
            raise UnknownBatch(one_line(f"{doing}: {NOT_THERE}", *self._secrets))
        batch = self._read(doing, came)
        metadata = object_in(batch, "metadata")
        stats = object_in(metadata, "batchStats")
        word = text_in(metadata, "state").rpartition("STATE_")[2] or "UNSPECIFIED"
        state = BatchState(
            "running",
            _number(stats, "successfulRequestCount"),
            _number(stats, "failedRequestCount"),
            _number(stats, "requestCount"),
            reason=word.lower().replace("_", " "),
        )
        if word in _RUNNING and not batch.get("done"):
            return state
        answers = ""
        for holder in (object_in(metadata, "output"), object_in(batch, "response")):
            answers = answers or text_in(holder, "responsesFile")
        started = _time(metadata, "createTime")
        seconds = max(0.0, _time(metadata, "endTime") - started)
        attempts = [
            attempt
            for (request, form), line in results(await self._file(answers), "key", requests)
            if (attempt := self._attempt_of(Attempt(request, form, "server", started, seconds), line))
        ]
        if attempts:
            return replace(state, state="done", attempts=attempts)
        why = text_in(object_in(batch, "error"), "message") or (
            "its answers are gone" if answers else "it has no answers"
        )
        return replace(state, state="lost", reason=one_line(f"the batch is {state.reason}: {why}", *self._secrets))

    def _attempt_of(self, asked: Attempt, line: dict[str, Any]) -> Attempt | None:
        """Return what a line of a results file says of a request, None if its turn never came."""
        error = object_in(line, "error") or object_in(line, "status")
        if error.get("code") == _NEVER_ASKED:
            return None
        said = {"error": error} if error else object_in(line, "response")
        return told(asked, 200, json.dumps(said), {}, self._secrets)

    async def _upload(self, data: bytes, token: str) -> str:
        """Send a file and return the server's name for it."""
        files = self._opened().aio.files
        sent = await files.upload(file=io.BytesIO(data), config={"mime_type": "jsonl", "display_name": token})
        if not sent.name:
            raise ValueError("the answer names no file")
        return sent.name

    async def _file(self, name: str) -> str:
        """Return a file's text, "" if there is none or it is gone."""
        if not name:
            return ""
        came = await self._exchange(PATIENCE, self._call, "get", f"{quote(name)}:download?alt=media")
        # Google says "forbidden" of a file that it has deleted, after 48 hours.
        if came.status in (403, 404, 410):
            return ""
        if came.status != 200:
            raise self._refused("fetching the batch's answers", came)
        return came.text

    async def _all(self) -> AsyncIterator[dict[str, Any]]:
        """Yield every batch there is, newest first."""
        after = ""
        while True:
            page = await self._object("looking for the batch", "get", f"batches?pageSize=100{after}")
            for batch in page.get("operations") or ():
                if isinstance(batch, dict):
                    yield batch
            if not (following := text_in(page, "nextPageToken")):
                return
            after = f"&pageToken={quote(following, safe='')}"

    async def _object(self, doing: str, *asked: Any) -> dict[str, Any]:
        """Return the JSON object that a call answers with."""
        return self._read(doing, await self._exchange(PATIENCE, self._call, *asked))

    def _read(self, doing: str, came: Exchange) -> dict[str, Any]:
        if came.status != 200:
            raise self._refused(doing, came)
        data = parsed(came.text)
        if not isinstance(data, dict):
            raise trouble(doing, "malformed_body", f"the answer is no JSON object: {came.text}", self._secrets)
        return data

    def _refused(self, doing: str, came: Exchange) -> NotAnswered:
        if came.status is None:
            return trouble(doing, came.outcome, came.text, self._secrets, nothing_done=came.unsent)
        nobody = Attempt(
            Request(step="", provider="", server="", model="", system="", documents="", task=""),
            Form(),
            "server",
            0.0,
            0.0,
        )
        failed = told(nobody, came.status, came.text, came.headers, self._secrets)
        certain = refused_for_certain(came.status)
        return trouble(doing, failed.outcome, failed.error, self._secrets, nothing_done=certain)

    def _named(self, doing: str, data: Mapping[str, Any]) -> str:
        name = text_in(data, "name")
        if not name:
            raise trouble(doing, "malformed_body", "the answer names nothing", self._secrets)
        return name


def _number(holder: Mapping[str, Any], name: str) -> int:
    """Return a count, which Google writes as a text."""
    value = str(holder.get(name) or 0)
    return int(value) if value.isdecimal() and len(value) < 16 else 0


def _time(holder: Mapping[str, Any], name: str) -> float:
    """Return a time in UTC seconds since 1970, 0 if there is none."""
    try:
        return datetime.fromisoformat(text_in(holder, name)).timestamp()
    except (ValueError, OverflowError):
        return 0.0
