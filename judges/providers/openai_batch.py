"""OpenAI's batch API: a file of requests goes up, a file of answers comes down."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
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
from judges.providers.endpoint import building
from judges.providers.errors import message_of, one_line, outcome_of, parsed
from judges.providers.http import LARGEST_FILE
from judges.providers.model import Attempt, Fatal, Form, NotAnswered, Outcome, Request
from judges.providers.openai import OpenAI, body, told

if TYPE_CHECKING:
    import httpx2

TOKEN = "discox"
"""The name under which a batch's token stands in its metadata."""

MULTIPART: Any = {"headers": {"Content-Type": "multipart/form-data"}}
"""The options that make the client library send a form with a file in it."""

_ENDED = frozenset({"completed", "expired", "cancelled"})
_NEVER_ASKED = frozenset({"batch_expired", "batch_cancelled"})
"""The errors of requests whose turn did not come."""


class OpenAIBatches(OpenAI):
    """OpenAI's server, or a compatible one that has batches too. See ``judges.providers.batch.Batches``."""

    most_requests = 50_000
    largest = LARGEST_FILE
    most_bytes = 200_000_000
    """Both as https://developers.openai.com/api/docs/guides/batch says."""

    def line(self, request: Request, form: Form) -> bytes:
        """Return the line of the batch's file that asks a request, with its line end."""
        asked = body(request, replace(form, stream=False))
        asks = {"custom_id": request.id, "method": "POST", "url": "/v1/chat/completions", "body": asked}
        return json.dumps(asks).encode() + b"\n"

    async def submit(self, requests: Sequence[Asked], token: str) -> str:
        """Hand in requests, all of one model, and return the server's name for the batch."""
        file = (f"{token}.jsonl", file_of(self, requests), "application/jsonl")
        doing = "sending the batch's file"
        with nothing_begun():
            sent = await self._object(
                doing, "POST", "/files", body={"purpose": "batch"}, files=[("file", file)], options=MULTIPART
            )
            uploaded = self._named(doing, sent)
        doing = "starting the batch"
        batch = {
            "input_file_id": uploaded,
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "metadata": {TOKEN: token},
        }
        return self._named(doing, await self._object(doing, "POST", "/batches", body=batch))

    async def find(self, token: str) -> str | None:
        """Return the server's name for the batch that was handed in with a token, None if there is none."""
        async for batch in self._all():
            metadata = batch.get("metadata")
            if isinstance(metadata, dict) and metadata.get(TOKEN) == token:
                return self._named("looking for the batch", batch)
        return None

    async def collect(self, remote: str, requests: Mapping[str, Asked]) -> BatchState:
        """Return how a batch stands, with an attempt for every answer to one of ``requests``."""
        doing = f"asking for the batch {remote}"
        came, text = await self._exchange(doing, "GET", f"/batches/{quote(remote, safe='')}")
        if came == 404:
            raise UnknownBatch(one_line(f"{doing}: {NOT_THERE}", *self._secrets))
        batch = self._read(doing, came, text)
        status, counts = str(batch.get("status")), batch.get("request_counts")
        state = BatchState(
            "running", _count(counts, "completed"), _count(counts, "failed"), _count(counts, "total"), reason=status
        )
        if status == "failed":
            errors = batch.get("errors")
            said = message_of(errors.get("data") if isinstance(errors, dict) else errors) or "no reason given"
            return replace(state, state="lost", reason=one_line(f"the batch failed: {said}", *self._secrets))
        if status not in _ENDED:
            return state
        started = float(_count(batch, "created_at"))
        seconds = max(0.0, _count(batch, f"{status}_at") - started)
        attempts: list[Attempt] = []
        gone = False
        for kind in ("output_file_id", "error_file_id"):
            if isinstance(file := batch.get(kind), str) and file:
                answers = await self._file(file)
                gone = gone or answers is None
                for (request, form), line in results(answers or "", "custom_id", requests):
                    asked = Attempt(request, form, "server", started, seconds)
                    attempts += filter(None, [self._attempt_of(asked, line)])
        if attempts:
            return replace(state, state="done", attempts=attempts)
        why = "its files are gone" if gone else "it brought no answer"
        return replace(state, state="lost", reason=f"the batch is {status}, but {why}")

    def _attempt_of(self, asked: Attempt, line: dict[str, Any]) -> Attempt | None:
        """Return what a line of a results file says of a request, None if its turn never came."""
        response, error = line.get("response"), line.get("error")
        if isinstance(response, dict):
            status = response.get("status_code")
            return told(
                asked, status if isinstance(status, int) else 200, json.dumps(response.get("body")), {}, self._secrets
            )
        if isinstance(error, dict) and error.get("code") in _NEVER_ASKED:
            return None
        return told(asked, 200, json.dumps({"error": error or "no answer"}), {}, self._secrets)

    async def _all(self) -> AsyncIterator[dict[str, Any]]:
        """Yield every batch there is, newest first."""
        doing, after = "looking for the batch", ""
        while True:
            page = await self._object(doing, "GET", f"/batches?limit=100{after}")
            batches = [batch for batch in page.get("data") or () if isinstance(batch, dict)]
            for batch in batches:
                yield batch
            if not page.get("has_more") or not batches:
                return
            after = f"&after={quote(self._named(doing, batches[-1]), safe='')}"

    async def _file(self, name: str) -> str | None:
        """Return a file's text, None if it is gone."""
        doing = "fetching the batch's answers"
        status, text = await self._exchange(doing, "GET", f"/files/{quote(name, safe='')}/content")
        if status in (404, 410):
            return None
        if status != 200:
            raise self._refused(doing, status, text)
        return text

    async def _object(self, doing: str, method: str, path: str, **sent: Any) -> dict[str, Any]:
        """Return the JSON object that a path answers with."""
        return self._read(doing, *await self._exchange(doing, method, path, **sent))

    def _read(self, doing: str, status: int, text: str) -> dict[str, Any]:
        if not 200 <= status < 300:
            raise self._refused(doing, status, text)
        data = parsed(text)
        if not isinstance(data, dict):
            raise trouble(doing, "malformed_body", f"the answer is no JSON object: {text}", self._secrets)
        return data

    async def _exchange(self, doing: str, method: str, path: str, **sent: Any) -> tuple[int, str]:
        """Return the status and the body that a path answers with."""
        import httpx2
        import openai

        if self._wire.path or self._wire.key_header:
            raise Fatal(f"{self.server} has an address for each model, where no batch goes; leave --batch out")
        with building(self.server, *self._secrets):
            client = self._sdk
        outcome: Outcome = "connection"
        problem: Exception
        try:
            async with asyncio.timeout(PATIENCE):
                if method == "GET":
                    response = await client.get(path, cast_to=httpx2.Response)
                else:
                    response = await client.post(path, cast_to=httpx2.Response, **sent)
            return response.status_code, response.text
        except openai.APIStatusError as error:
            if method == "GET" and error.response.has_redirect_location:
                return await self._elsewhere(doing, error.response)
            return error.status_code, error.response.text
        except (TimeoutError, openai.APITimeoutError) as late:
            problem, outcome, said = late, "timeout", f"no complete answer within {PATIENCE:.3g} seconds"
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, OSError) as failed:
            problem, said = failed, str(failed.__cause__ or failed)
        never = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError)
        unsent = isinstance(problem.__cause__ or problem, never)
        raise trouble(doing, outcome, said, self._secrets, nothing_done=unsent)

    async def _elsewhere(self, doing: str, response: httpx2.Response) -> tuple[int, str]:
        """Return what stands where a file is said to be; of what goes along with every call nothing goes there."""
        import httpx2

        try:
            async with asyncio.timeout(PATIENCE):
                found = await self._http(follow_redirects=True).get(response.url.join(response.headers["location"]))
            return found.status_code, found.text
        except (TimeoutError, httpx2.HTTPError, httpx2.InvalidURL, OSError) as problem:
            raise trouble(doing, "connection", str(problem) or type(problem).__name__, self._secrets) from None

    def _refused(self, doing: str, status: int, text: str) -> NotAnswered:
        said = message_of(parsed(text)) or text
        certain = refused_for_certain(status)
        return trouble(doing, outcome_of(status, said), f"{status}: {said}", self._secrets, nothing_done=certain)

    def _named(self, doing: str, data: Mapping[str, Any]) -> str:
        name = data.get("id")
        if not isinstance(name, str) or not name:
            raise trouble(doing, "malformed_body", "the answer names nothing", self._secrets)
        return name


def _count(holder: object, name: str) -> int:
    value = holder.get(name) if isinstance(holder, dict) else None
    return value if isinstance(value, int) and value >= 0 else 0
