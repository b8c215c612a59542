"""HTTP client that reads so much of an answer and no more; apart, since all providers and their batches use it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from judges.providers.streams import broken_off

if TYPE_CHECKING:
    from httpx2 import AsyncClient

LARGEST = 8_000_000
"""Bytes of an answer, unpacked, that are read: a hundred times what a judge has to say."""
LARGEST_FILE = 2_000_000_000
"""The same of what a batch API hands out, whose files hold the answers of a whole batch."""
LARGEST_NAME = 200
"""Characters that are kept of what a server calls its model, or the end of an answer."""
WRAPPED = 8
"""Times as much that an event stream may hold: each word comes within an object of its own."""
LINGER = 1.0
"""Seconds that a stream is still listened to after its end, so that its connection can be used again."""
_END = re.compile(rb"(?m)^data: ?\[DONE\]")
_OTHER = re.compile(rb"[\x00\x1b]")
"""Bytes of encodings whose texts may look like UTF-8 and are not. All others do so by being it, whatever is said:
JSON is UTF-8 (RFC 8259), and servers that name another charset for it mostly have it from their defaults."""
HEAVY = 20_000
"""Characters above which an answer is read in a thread of its own: everything else would have to wait for it."""

Result = TypeVar("Result")


async def aside(size: int, work: Callable[[], Result]) -> Result:
    """Do some work on a text of this size, and let others go on meanwhile where that takes long."""
    return await asyncio.to_thread(work) if size > HEAVY else work()


def bounded_client(largest: int, **more: Any) -> AsyncClient:
    """Return an HTTP client that raises DecodingError for an answer of more bytes. ``more``: of httpx2's client."""
    return _bounded()(largest, **more)


@cache
def _bounded() -> Callable[..., AsyncClient]:
    import httpx2

    class Bounded(httpx2.AsyncClient):
        """A client whose answers are read whole, piece by piece as they are unpacked, up to a bound."""

        def __init__(self, largest: int, **more: Any) -> None:
            super().__init__(**more)
            self._largest = largest

        async def send(self, request: httpx2.Request, *, stream: bool = False, **more: Any) -> httpx2.Response:
            response = await super().send(request, stream=True, **more)
            if "set-cookie" in response.headers:
                self.cookies.clear()  # no call is part of a session, and nothing of one follows the next
            if stream:
                return response
            body = bytearray()
            streams = response.headers.get("content-type", "").startswith("text/event-stream")
            largest = self._largest * (WRAPPED if streams else 1)
            pieces, ended = response.aiter_bytes(), False
            try:
                # One that stays open behind its end is not waited for.
                while piece := await asyncio.wait_for(anext(pieces, b""), LINGER if ended else None):
                    body += piece
                    if len(body) > largest:
                        said = f"the answer is larger than {largest / 1e6:,.0f} MB, and was not read"
                        raise httpx2.DecodingError(said, request=request)
                    ended = streams and _END.search(body, max(0, len(body) - len(piece) - 20)) is not None
            except TimeoutError:
                if not ended:
                    raise
            except httpx2.HTTPError as error:
                if not streams or isinstance(error, httpx2.DecodingError):
                    raise
                body += broken_off(str(error) or type(error).__name__)
            finally:
                await response.aclose()
            packed = ("content-encoding", "content-length", "transfer-encoding")
            headers = [(name, value) for name, value in response.headers.multi_items() if name not in packed]
            whole = httpx2.Response(
                response.status_code,
                headers=headers,
                content=bytes(body),
                request=response.request,
                extensions=response.extensions,
                history=response.history,
            )
            whole.next_request = response.next_request
            kind = response.headers.get("content-type", "").lower()
            if "charset=" in kind and "utf-8" not in kind and not _OTHER.search(body):
                with suppress(UnicodeDecodeError):
                    body.decode()
                    whole.encoding = "utf-8"
            return whole

    return Bounded
