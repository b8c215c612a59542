"""Check of a model before it judges: one question, the longest there is, and what the answer says of key and server."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from discox_tui.runs.connect import recording
from discox_tui.runs.dry_run import questions
from discox_tui.runs.judging import Judging
from discox_tui.runs.workers import OnStart
from judges.metric_s.protocol.protocol import Settings
from judges.metric_s.protocol.request_readers import reader_of
from judges.providers.client import WIDEN, Policy
from judges.providers.endpoint import NO_KEY
from judges.providers.errors import parsed, way_to
from judges.providers.model import ANSWERED, Attempt, NotAnswered, Provider, Reading, Request
from judges.providers.request_forms import about_context, limit_of
from judges.providers.token_counts import estimated_tokens
from storage.db.connection import Connection, file_of
from storage.runs import runs
from storage.runs.calls import Journal

TRIES = 2
"""Failures on the way after which nothing more is tried: whoever checks waits for it."""
NOWHERE = frozenset({301, 302, 303, 307, 308, 404, 405})
"""Statuses that say that the address or the model is wrong."""


@dataclass(frozen=True, slots=True)
class Question:
    """Question that is asked. ``article``, ``system``: of which translation; "" where there is none to judge."""

    request: Request
    article: str = ""
    system: str = ""

    @property
    def characters(self) -> int:
        """Number of characters that are sent, prompts and texts."""
        return len(self.request.system) + len(self.request.user)

    @property
    def estimate(self) -> int:
        """Return about how many tokens these are, by rule of thumb."""
        return round(estimated_tokens(self.request.system) + estimated_tokens(self.request.user))


@dataclass(frozen=True, slots=True)
class Point:
    """One thing that was looked at. ``right``: None where the answer does not tell. ``said``: what was found."""

    name: str
    right: bool | None
    said: str


@dataclass(frozen=True, slots=True)
class Checked:
    """Result of a check: all attempts in order, and why nothing usable came of them ("" where something did)."""

    question: Question
    attempts: tuple[Attempt, ...]
    problem: str = ""

    @property
    def last(self) -> Attempt | None:
        """The attempt that decides: the last that the model answered, else the last."""
        answered = [each for each in self.attempts if each.outcome in ANSWERED]
        return next(reversed(answered or self.attempts), None)

    @property
    def usable(self) -> bool:
        """Say whether the model gave a usable answer."""
        return self.last is not None and self.last.outcome == "ok"

    def points(self) -> list[Point]:
        """Return what the attempts say of the address, the key, the model, the schema and the context."""
        last = self.last
        if last is None:
            return [Point("address", None, self.problem or "nothing was asked")]
        return [self._address(last), self._key(last), self._model(last), self._schema(last), self._context(last)]

    def _address(self, last: Attempt) -> Point:
        server = last.request.server
        if last.status is None or last.outcome == "malformed_body":
            mend = way_to(last.error) if last.status is None else "that is no server of models; check --base-url"
            return Point("address", False, f"{server}: {last.error or last.outcome}; {mend}")
        if last.status in NOWHERE:
            return Point("address", None, f"{server} says {last.status}: check --base-url, if the model is right")
        return Point("address", True, server)

    def _key(self, last: Attempt) -> Point:
        if last.outcome == "auth":
            mend = "" if NO_KEY in last.error else "; check the key, or name another variable with --key-env"
            return Point("key", False, f"{last.error}{mend}")
        if last.outcome == "quota":
            said = f"no credit is left, or a limit is reached: {last.error}"
            return Point("key", False, f"{said}; top it up or raise the limit")
        return Point("key", True, "taken") if last.outcome in ANSWERED else Point("key", None, _unknown(last))

    def _model(self, last: Attempt) -> Point:
        model = last.request.model
        if last.outcome in ANSWERED:
            named = f"the server calls it {last.model}" if last.model else "the server does not say who answered"
            return Point("model", True, f"{model}; {named}")
        if last.status in NOWHERE or (last.outcome == "bad_request" and "model" in last.error.lower()):
            wrong = None if about_context(last.error) else False
            return Point("model", wrong, f"{model}: {last.error}; name one that the server has (--model)")
        return Point("model", None, _unknown(last))

    def _schema(self, last: Attempt) -> Point:
        refused = [each.form.format for each in self.attempts if each.outcome == "bad_request"]
        refused = [each for each in dict.fromkeys(refused) if each != last.form.format]
        tried = f" ({', '.join(refused)} refused)" if refused else ""
        if last.outcome not in ANSWERED:
            return Point("schema", None, _unknown(last))
        held = _HELD.get(last.form.format, last.form.format)
        if last.form.stream:
            held += ", piece by piece"
        if last.form.dropped:
            held += f"; not taken: {', '.join(sorted(last.form.dropped))}"
        if last.outcome == "ok":
            bare = isinstance(parsed(last.answer), dict)
            kept = "the answer keeps to it" if bare else "the answer is no bare JSON object, but could be read"
            return Point("schema", True, f"{held}{tried}; {kept}")
        wrong = False if last.outcome in ("unparsable", "wrong_shape") else None
        said = f"{held}{tried}; {last.outcome.replace('_', ' ')}: {last.error}"
        mend = "; a model that keeps to a form is needed" if wrong is False else ""
        return Point("schema", wrong, f"{said}{mend}")

    def _context(self, last: Attempt) -> Point:
        asked, counted = self.question, last.tokens.input
        of = f"the longest question ({asked.request.step}, article {asked.article}, {asked.system})"
        of = of if asked.article else "a short question"
        sent = f"{of}: {asked.characters:,} characters sent, about {asked.estimate:,} tokens"
        room = limit_of(last)
        beside = f", with room for {room:,} beside" if room else ""
        if last.outcome == "bad_request" and about_context(last.error):
            return Point("context", False, f"{sent}{beside}; refused: {last.error}; {WIDEN}, or lower --max-tokens")
        if last.outcome not in ANSWERED:
            return Point("context", None, f"{sent}; {_unknown(last)}")
        if last.outcome == "prompt_cut":
            return Point("context", False, f"{sent}; {last.error}")
        if counted is None:
            return Point("context", None, f"{sent}; the server counts no tokens, so nothing shows that it read all")
        said = f"{sent}; the server counted {counted:,} ({asked.characters / max(counted, 1):.1f} characters a token)"
        if last.outcome == "truncated":
            return Point("context", False, f"{said}{beside}; {last.error}; raise --max-tokens or the model's context")
        return Point("context", True if asked.article else None, f"{said}{beside}")


_HELD = {"none": "no structured form; the answer is read from plain text"}


def _unknown(last: Attempt) -> str:
    return f"not known: {last.outcome.replace('_', ' ')}" + (f", {last.error}" if last.error else "")


async def longest_question(connection: Connection, judging: Judging) -> Question:
    """Return the longest question of what was chosen, judged or not; a short one where there is nothing to judge."""
    choice = judging.choice
    found = runs.longest_translation(connection, choice.systems, choice.articles, translations=choice.translations)
    asked = await questions(connection, choice, found) if found else []
    if not asked:
        return short_question(choice.settings, choice.settings.model)
    article, system, _ = runs.load(connection, found or "")
    every = [Question(request, article.key, system) for request in asked]
    return max(every, key=lambda each: each.estimate)


async def check(judging: Judging, question: Question, provider: Provider, policy: Policy, on_start: OnStart) -> Checked:
    """Ask the question anew, whatever is on record of it, and record the attempts: an answer need not be paid twice."""
    attempts: list[Attempt] = []
    with closing(Journal(judging.connection.path, judging.run_id, file_of(judging.connection))) as journal:
        client = recording(
            provider,
            journal,
            judging.spending,
            question.request.model,
            policy=replace(policy, tries=TRIES),
            retry_failed=False,
            anew=attempts.append,
            start=judging.choice.start,
        )
        on_start(client.stop)
        problem = ""
        try:
            reply = await client.ask(question.request, _reader(question.request))
            problem = "" if reply.outcome == "ok" else reply.attempt.error or reply.outcome
        except NotAnswered as reason:
            problem = str(reason)
        finally:
            await provider.close()
    return Checked(question, tuple(attempts), problem)


def short_question(settings: Settings, model: str) -> Question:
    """Return a question that needs no translation, to a model."""
    return Question(_short(replace(settings, model=model)))


def _short(settings: Settings) -> Request:
    properties = {"answer": {"type": "string"}}
    return Request(
        step="check",
        provider=settings.provider,
        server=settings.server,
        model=settings.model,
        system="",
        documents="",
        task='Answer with this JSON object and nothing else: {"answer": "yes"}',
        schema={"type": "object", "properties": properties, "required": ["answer"], "additionalProperties": False},
        parameters=settings.parameters,
    )


def _reader(request: Request) -> Any:
    return _read_short if request.step == "check" else reader_of(request)


def _read_short(text: str, cut: bool) -> Reading[str]:
    said = parsed(text)
    if said is None:
        return Reading(None, "unparsable")
    right = isinstance(said, dict) and isinstance(said.get("answer"), str)
    return Reading(said["answer"], step="json") if right else Reading(None, "wrong_shape")


def as_json(attempts: Sequence[Attempt]) -> list[dict[str, Any]]:
    """Return what was tried as JSON-able objects."""
    return [
        {
            "format": each.form.format,
            "limit_name": each.form.limit_name,
            "dropped": sorted(each.form.dropped),
            "stream": each.form.stream,
            "outcome": each.outcome,
            "status": each.status,
            "seconds": round(each.seconds, 3),
            "model": each.model or None,
            "finish": each.finish or None,
            "error": each.error or None,
        }
        for each in attempts
    ]
