"""The batch APIs of OpenAI and Google as a test scripts them: files go up, batches go on with every look, files come down."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.support.scripted_server import Request, Response, Route

Lines = Callable[[list[dict[str, Any]]], Iterable[dict[str, Any] | str]]
"""From the lines of a batch's file to those of its results, in any order; a text is put in as it is."""


@dataclass
class Scripted:
    """What a scripted batch API holds, and what it does with a batch.

    ``stages``: the state a batch shows at each look, the last one from then on. ``answer``, ``fail``: the lines of its
    results and of its errors (OpenAI has a file for each; None: there is no such file). ``more``: further fields of
    every batch. ``refuse``: by path (a regular expression), what to answer instead.
    """

    stages: list[str]
    answer: Lines | None = None
    fail: Lines | None = None
    more: dict[str, Any] = field(default_factory=dict)
    refuse: dict[str, Response] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    batches: list[dict[str, Any]] = field(default_factory=list)
    looks: dict[str, int] = field(default_factory=dict)
    page: int = 2

    def asked(self, file: str) -> list[dict[str, Any]]:
        """The lines of a batch's file."""
        return [json.loads(line) for line in self.files[file].splitlines()]

    def stage(self, name: str) -> str:
        """Look at a batch: it goes on by one."""
        look = self.looks[name] = self.looks.get(name, 0) + 1
        return self.stages[min(look, len(self.stages)) - 1]

    def keep(self, name: str, lines: Lines | None, asked: list[dict[str, Any]]) -> str | None:
        """Make a file of results and return its name."""
        if lines is None:
            return None
        texts = (line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines(asked))
        self.files[name] = "".join(texts).encode()
        return name

    def guarded(self, handler: Callable[[Request], Response]) -> Callable[[Request], Response]:
        """A handler that gives way to what is refused."""

        def handle(request: Request) -> Response:
            for path, said in self.refuse.items():
                if re.fullmatch(path, request.path):
                    return said
            return handler(request)

        return handle


def openai_batches(api: Scripted) -> list[Route]:
    """Return the routes of OpenAI's files and batches."""

    def upload(request: Request) -> Response:
        boundary = request.headers["content-type"].partition("boundary=")[2].encode()
        fields = {}
        for part in request.body.split(b"--" + boundary)[1:-1]:
            head, _, content = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
            fields[re.findall(rb'name="(\w+)"', head)[0]] = content.removesuffix(b"\r\n")
        assert fields[b"purpose"] == b"batch"
        name = f"file-{len(api.files)}"
        api.files[name] = fields[b"file"]
        return Response(body={"id": name, "object": "file", "purpose": "batch", "bytes": len(fields[b"file"])})

    def create(request: Request) -> Response:
        sent = request.json
        assert (sent["endpoint"], sent["completion_window"]) == ("/v1/chat/completions", "24h")
        batch = {
            "id": f"batch_{len(api.batches)}",
            "object": "batch",
            "status": "validating",
            "created_at": 1000,
        } | sent
        api.batches.insert(0, batch)
        return Response(body=batch)

    def retrieve(request: Request) -> Response:
        name = request.path.rpartition("/")[2]
        batch = next((batch for batch in api.batches if batch["id"] == name), None)
        if batch is None:
            return Response(404, {"error": {"message": f"No batch found with id '{name}'."}})
        asked = api.asked(batch["input_file_id"])
        status = api.stage(name)
        batch |= {"status": status, "request_counts": {"total": len(asked), "completed": 0, "failed": 0}} | api.more
        if status in ("completed", "expired", "cancelled"):
            batch[f"{status}_at"] = 1600
            batch["output_file_id"] = api.keep("file-output", api.answer, asked)
            batch["error_file_id"] = api.keep("file-errors", api.fail, asked)
        return Response(body=batch)

    def listing(request: Request) -> Response:
        after = re.search(r"after=(\w+)", request.query)
        names = [batch["id"] for batch in api.batches]
        begin = names.index(after[1]) + 1 if after else 0
        end = begin + api.page
        return Response(body={"object": "list", "data": api.batches[begin:end], "has_more": end < len(names)})

    def content(request: Request) -> Response:
        return Response(body=api.files[request.path.split("/")[3]])

    return [
        ("POST", r"/v1/files", api.guarded(upload)),
        ("GET", r"/v1/files/[\w-]+/content", api.guarded(content)),
        ("POST", r"/v1/batches", api.guarded(create)),
        ("GET", r"/v1/batches", api.guarded(listing)),
        ("GET", r"/v1/batches/\w+", api.guarded(retrieve)),
    ]


def gemini_batches(api: Scripted) -> list[Route]:
    """Return the routes of Gemini's files and batches."""

    def start(request: Request) -> Response:
        assert request.headers["x-goog-upload-protocol"] == "resumable"
        assert request.headers["x-goog-upload-command"] == "start"
        name = f"files/f{len(api.files)}"
        api.files[name] = b""
        address = f"http://{request.headers['host']}/upload/v1beta/{name}?upload_id=1"
        return Response(body={}, headers={"x-goog-upload-url": address, "x-goog-upload-status": "active"})

    def upload(request: Request) -> Response:
        name = request.path.removeprefix("/upload/v1beta/")
        api.files[name] += request.body
        last = "finalize" in request.headers["x-goog-upload-command"]
        body = {"file": {"name": name, "mimeType": "jsonl", "sizeBytes": str(len(api.files[name]))}}
        return Response(body=body, headers={"x-goog-upload-status": "final" if last else "active"})

    def create(request: Request) -> Response:
        sent = request.json["batch"]
        model = request.path.removeprefix("/v1beta/").partition(":")[0]
        metadata = {"model": model, "displayName": sent["displayName"], "state": "BATCH_STATE_PENDING"}
        metadata |= {"createTime": "1970-01-01T00:16:40.123456789Z", "inputConfig": sent["inputConfig"]}
        batch = {"name": f"batches/b{len(api.batches)}", "metadata": metadata}
        api.batches.insert(0, batch)
        return Response(body=batch)

    def get(request: Request) -> Response:
        name = request.path.removeprefix("/v1beta/")
        batch = next((batch for batch in api.batches if batch["name"] == name), None)
        if batch is None:
            return Response(404, {"error": {"code": 404, "message": "not found", "status": "NOT_FOUND"}})
        metadata = batch["metadata"]
        asked = api.asked(metadata["inputConfig"]["fileName"])
        metadata["state"] = api.stage(name)
        metadata["batchStats"] = {"requestCount": str(len(asked)), "pendingRequestCount": str(len(asked))}
        if not re.search("PENDING|RUNNING", metadata["state"]):
            batch["done"] = True
            metadata["endTime"] = "1970-01-01T00:26:40.123456789Z"
            if file := api.keep("files/results", api.answer, asked):
                metadata["output"] = {"responsesFile": file}
            batch |= api.more
        return Response(body=batch)

    def listing(request: Request) -> Response:
        after = re.search(r"pageToken=(\d+)", request.query)
        begin = int(after[1]) if after else 0
        end = begin + api.page
        more = {"nextPageToken": str(end)} if end < len(api.batches) else {}
        return Response(body={"operations": api.batches[begin:end]} | more)

    def download(request: Request) -> Response:
        assert request.query == "alt=media"
        return Response(body=api.files[request.path.removeprefix("/v1beta/").partition(":")[0]])

    return [
        ("POST", r"/upload/v1beta/files", api.guarded(start)),
        ("POST", r"/upload/v1beta/files/\w+", api.guarded(upload)),
        ("GET", r"/v1beta/files/\w+:download", api.guarded(download)),
        ("POST", r"/v1beta/models/[\w.-]+:batchGenerateContent", api.guarded(create)),
        ("GET", r"/v1beta/batches", api.guarded(listing)),
        ("GET", r"/v1beta/batches/\w+", api.guarded(get)),
    ]
