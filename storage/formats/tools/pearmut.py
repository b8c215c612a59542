"""Pearmut: a campaign (what was to be rated) and its log (who rated it how), in two files.

A newer log repeats the texts in every line; for an older one the campaign is looked for beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from storage.base.groups import Groups
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import Document, Remark, Segment
from storage.formats.base.offsets import Pearmut
from storage.formats.base.ratings import Rating, collect
from storage.formats.base.span_marks import MISSING, marks_of
from storage.formats.io.head import Head
from storage.formats.io.input_file import AnyFile, InputFile
from storage.formats.io.json_objects import objects_by_line, top_level_keys, whole_object
from storage.formats.io.json_parser import JsonObject, kind
from storage.formats.io.lines import FormatError
from storage.formats.io.rows import LeftOut
from storage.formats.io.values import number, wmt_names, word

RESET = "__RESET__"
_GUESSED = (
    "places count line feeds since Pearmut 1.1.5, and which version it was is not said: they are taken to; name the "
    "campaign too, as Pearmut keeps it in data/campaigns or data/tasks"
)
_MEND_CAMPAIGN = "name the campaign's file too: discox import CAMPAIGN.json LOG.jsonl"
_CAMPAIGN = {"campaign_id", "info", "data", "data_welcome", "data_random", "data_goodbye", "token", "url"}


class PearmutFiles(Format):
    """A campaign of Pearmut, or its log."""

    name, title = "pearmut", "Pearmut"
    needed = ("user_id", "item_i", "annotation")

    def sniff(self, head: Head) -> bool:
        """Tell if the object is a campaign, or one of the first lines is of a log."""
        return _is_campaign(head.keys) or any(value.keys() >= {*self.needed} for value in head.objects)

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield a campaign's documents, or the annotations of a log."""
        if _is_campaign(top_level_keys(file)):
            yield from _documents(_Campaign(file))
        else:
            yield from collect(_ratings(file, options))


def _is_campaign(keys: Iterable[str]) -> bool:
    wanted = {"data", "info"}
    for key in keys:
        wanted.discard(key)
        if not wanted or key not in _CAMPAIGN:
            break
    return not wanted


# --- The campaign ---------------------------------------------------------------------------------------------


class _Campaign:
    """The contents of a campaign; as much of it as was looked for."""

    def __init__(self, path: AnyFile) -> None:
        whole = whole_object(path)
        if not isinstance(whole, JsonObject):
            raise FormatError(f"{path}: is no campaign that can be read; check that it was written whole")
        self.data = whole.value.get("data")
        info = whole.value.get("info")
        self.info: Mapping[str, Any] = info if isinstance(info, dict) else {}
        self.name = word(whole.value.get("campaign_id")) or path.stem
        self._added = "token" in whole.value

    @property
    def beyond(self) -> Sequence[str]:
        """Return what the places after the end of a text stand for."""
        tokens = self.info.get("special_tokens")
        return [word(token) for token in tokens] if isinstance(tokens, list) else (MISSING,)

    @property
    def counts_line_feeds(self) -> bool | None:
        """Tell if places count line feeds: versions that do (from 1.1.5) note special tokens in campaigns they add.

        None for a campaign that is not as Pearmut keeps it.
        """
        return True if "special_tokens" in self.info else False if self._added else None

    def documents(self) -> Iterator[object]:
        """Yield the documents, each a list of items, of all tasks."""
        tasks = self.data.values() if isinstance(self.data, dict) else self.data
        for task in tasks if isinstance(tasks, (list, type({}.values()))) else ():
            if isinstance(task, list) and task and all(isinstance(document, list) for document in task):
                yield from task
            else:
                yield task

    def document(self, user: str, item_i: object) -> object:
        """Return the document of a log's line, None if that is not to be told."""
        data = self.data
        if isinstance(data, dict):
            data = data.get(user)
        elif isinstance(data, list) and data and all(_is_task(task) for task in data):
            users = self.info.get("users")
            names = (
                [word(u.get("user_id")) if isinstance(u, dict) else word(u) for u in users or ()]
                if isinstance(users, list)
                else []
            )
            data = data[names.index(user)] if user in names[: len(data)] else data[0] if len(data) == 1 else None
        if isinstance(data, list) and isinstance(item_i, int) and 0 <= item_i < len(data):
            return data[item_i]
        return None


def _is_task(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(document, list) for document in value)


def _campaign_of(path: Path, options: ReadOptions) -> _Campaign | None:
    """The campaign of a log: one that was named with it, or lies where Pearmut puts it, or alone in the same folder."""
    kept = (path.parent.parent / folder / f"{path.stem}.json" for folder in ("campaigns", "tasks"))
    beside = sorted(file for file in path.parent.glob("*.json") if file.is_file())
    found = []
    for file in (*options.beside, path.parent / f"{path.stem}.json", *kept, *beside):
        try:
            if file != path and file.is_file() and file not in found and _is_campaign(top_level_keys(file)):
                if file.stem == path.stem:
                    return _Campaign(file)
                found.append(file)
        except FormatError:
            continue
    campaigns = [_Campaign(file) for file in found]
    named = [campaign for campaign in campaigns if campaign.name == path.stem]
    return named[0] if named else campaigns[0] if len(campaigns) == 1 else None


def _documents(campaign: _Campaign) -> Iterator[Document | LeftOut]:
    """Yield every system's translation of every document of a campaign."""
    for position, document in enumerate(campaign.documents(), 1):
        items = _items(document)
        models = dict.fromkeys(model for item in items for model in _texts(item))
        if not models:
            yield LeftOut(
                1, "no_translations", "data", f"document {position} holds no translations", "check the campaign"
            )
        article, direction, domain = _names(items)
        for model in models:
            held = [(item, text) for item in items if (text := _texts(item).get(model)) is not None]
            segments = tuple(
                Segment(_id(item) or str(n), word(item.get("src")), text) for n, (item, text) in enumerate(held, 1)
            )
            yield Document(article, model, segments, direction, domain, line=1)


def _items(document: object) -> list[dict[str, Any]]:
    document = [document] if isinstance(document, dict) else document
    return [item for item in document if isinstance(item, dict)] if isinstance(document, list) else []


def _texts(item: Mapping[str, Any]) -> dict[str, str]:
    """The translations of an item, by model. Campaigns of old name the models apart."""
    texts = item.get("tgt")
    if isinstance(texts, list) and isinstance(models := item.get("models"), list):
        texts = dict(zip(map(word, models), texts, strict=False))
    return {model: text for model, text in texts.items() if isinstance(text, str)} if isinstance(texts, dict) else {}


def _id(item: Mapping[str, Any]) -> str:
    return word(item.get("item_id")) or word(item.get("doc_id"))


def _names(items: Sequence[Mapping[str, Any]]) -> tuple[str, str, str]:
    """The name of a document, its direction and domain, from its items' ids as far as they are as WMT's."""
    ids = [_id(item) for item in items]
    named = {wmt_names(identity)[:3] for identity in ids}
    if len(named) == 1 and (found := named.pop())[0]:
        return found
    sources = "\n".join(word(item.get("src")) for item in items)
    name = (
        next(filter(None, ids), "") or f"pearmut-{hashlib.sha256(sources.encode('utf-8', 'replace')).hexdigest()[:8]}"
    )
    return name, "", ""


# --- The log --------------------------------------------------------------------------------------------------


def _ratings(path: InputFile, options: ReadOptions) -> Iterator[Rating | LeftOut | Remark]:
    """Yield what stands at the end of a log, and of each line what it was replaced or taken back by."""
    campaign = _campaign_of(path.path, options)
    last = _Last(path)
    guessed = campaign is None or campaign.counts_line_feeds is None
    for item in objects_by_line(path):
        if isinstance(item, LeftOut):
            yield item
            continue
        for flag in item.flags:
            yield Remark(item.line, flag.code, "", flag.message)
        for rating in _Line(item, campaign, options).ratings(last):
            if guessed and isinstance(rating, Rating) and rating.marks and "\n" in rating.translation:
                guessed = False
                yield Remark(item.line, "line_feeds", "error_spans", _GUESSED)
            yield rating


def _models(value: object) -> Iterator[tuple[int, str, object]]:
    """Yield what an annotation says: number of the item, model and answer. An older log has the first item's alone."""
    for number_, answers in enumerate(value if isinstance(value, list) else [value]):
        if isinstance(answers, dict):
            for model, answer in answers.items():
                yield number_, model, answer


def _is_skipped(answer: object) -> bool:
    """Tell if an answer says nothing: neither a score nor an error."""
    if not isinstance(answer, dict):
        return False
    return number(answer.get("score")) is None and not answer.get("error_spans") and not answer.get("sliders")


def _key(row: Mapping[str, Any]) -> tuple[str, str]:
    return word(row.get("user_id")), word(row.get("item_i"))


class _Last:
    """The lines of the last resets, and of last answers that skip an item; on disk where large."""

    def __init__(self, path: AnyFile) -> None:
        self._lines = Groups[tuple[int, bool]]()
        self._resets: dict[str, dict[str, int]] = {}
        for item in objects_by_line(path):
            if isinstance(item, JsonObject):
                user, item_i = _key(item.value)
                annotation = item.value.get("annotation")
                if annotation == RESET:
                    self._resets.setdefault(user, {})[item_i] = item.line
                else:
                    for n, model, answer in _models(annotation):
                        self._lines.add((user, item_i, n, model), (item.line, _is_skipped(answer)))

    def skipped(self, user: str, item_i: str, position: int, model: str) -> int:
        """The line of the last answer of a user on a model's translation, if it skips it; else 0."""
        line, skipped = self._lines.of((user, item_i, position, model))[-1]
        return line if skipped else 0

    def reset(self, user: str, item_i: str) -> int:
        """The last reset of an item, or of all of a user's; 0 where there is none."""
        return max((self._resets.get(user, {}).get(name, 0) for name in ("", item_i)), default=0)


class _Line:
    """One line of a log."""

    def __init__(self, item: JsonObject, campaign: _Campaign | None, options: ReadOptions) -> None:
        self.line, self.row = item.line, item.value
        self.user, self.item_i = _key(item.value)
        self.campaign, self.options = campaign, options

    def ratings(self, last: _Last) -> Iterator[Rating | LeftOut]:
        annotation = self.row.get("annotation")
        taken_back = last.reset(self.user, self.item_i)
        if annotation == RESET:
            yield self._left_out("reset", "takes back what stood before of this item", "nothing to do")
        elif taken_back > self.line:
            yield self._left_out("reset", f"was taken back in line {taken_back}", "nothing to do")
        elif self.item_i.startswith(("welcome_", "random_", "goodbye_")):
            reason = f"is a tutorial or an attention check ({self.item_i[:20]}), no rating"
            yield self._left_out("no_rating", reason, "nothing to do", "item_i")
        elif any("form" in item for item in _items(self.row.get("item"))):
            yield self._left_out("no_rating", "is a form that was filled in, no rating", "nothing to do", "item")
        elif not self.user:
            yield self._left_out("bad_field", "is missing: nobody's rating", "give the user_id", "user_id")
        elif not (answers := list(_models(annotation))):
            reason = f"is {kind(annotation)}, and holds no model's answer"
            yield self._left_out("bad_field", reason, "check the log", "annotation")
        else:
            held = self.row.get("item")
            if not isinstance(held, list):
                held = self.campaign.document(self.user, self.row.get("item_i")) if self.campaign else None
            items = _items(held)
            if not items:
                reason = f"has no texts, and no campaign was found that has item {self.item_i[:20]} of {self.user[:40]}"
                yield self._left_out("no_texts", reason, _MEND_CAMPAIGN, "item")
                return
            for position, model, answer in answers:
                skipped = last.skipped(self.user, self.item_i, position, model)
                if skipped > self.line:
                    reason = f"{model[:40]}, item {position + 1}: was skipped later, in line {skipped}"
                    yield self._left_out("replaced", reason, "nothing to do", "annotation")
                else:
                    yield self._rating(items, position, model, answer)
            yield from self._texts(items, {model for _, model, _ in answers})

    def _texts(self, items: list[dict[str, Any]], models: set[str]) -> Iterator[Rating]:
        """Yield the texts of the whole document, so that it is whole where only some of it was rated."""
        article, direction, domain = _names(items)
        for n, item in enumerate(items):
            for model, text in _texts(item).items():
                if model in models:
                    yield Rating(
                        line=self.line,
                        article=article,
                        system=self.options.system or model,
                        source=word(item.get("src")),
                        translation=text,
                        annotator="",
                        human=True,
                        segment=_id(item) or str(n + 1),
                        order=n,
                        direction=self.options.direction or direction,
                        domain=domain,
                    )

    def _rating(self, items: list[dict[str, Any]], position: int, model: str, answer: object) -> Rating | LeftOut:
        text = _texts(items[position]).get(model) if position < len(items) else None
        where = f"{model[:40]}, item {position + 1}:"
        if text is None:
            return self._left_out("no_texts", f"{where} has no translation of this model", "check the campaign", "item")
        if not isinstance(answer, dict):
            return self._left_out("bad_field", f"{where} is {kind(answer)}, no answer", "check the log", "annotation")
        score, spans = number(answer.get("score")), answer.get("error_spans")
        if _is_skipped(answer):
            return self._left_out("not_rated", f"{where} was skipped: no score and no error", "nothing to do", "score")
        item = items[position]
        article, direction, domain = _names(items)
        kept = {name: value for name, value in answer.items() if name not in ("score", "error_spans") and value}
        kept |= {name: item[name] for name in ("ref", "validation", "instructions") if item.get(name)}
        kept |= {
            name: value
            for name, value in self.row.items()
            if name not in ("annotation", "item", "user_id", "actions") and value not in (None, "", [])
        }
        if spans is not None and not isinstance(spans, list):
            kept["error_spans"] = spans
        units = Pearmut(text, lf=self.campaign is None or self.campaign.counts_line_feeds is not False)
        return Rating(
            line=self.line,
            article=article,
            system=self.options.system or model,
            source=word(item.get("src")),
            translation=text,
            annotator=self.user,
            human=True,
            segment=_id(item) or str(position + 1),
            order=position,
            direction=self.options.direction or direction,
            domain=domain,
            marks=marks_of(spans, units, self.line, self.campaign.beyond if self.campaign else (MISSING,)),
            asked=bool(spans) or self._metric != "DA",
            kind="quality_check" if item.get("validation") else None,
            score=score,
            metric=self._metric,
            kept=kept,
        )

    @property
    def _metric(self) -> str:
        """A score from 0 to 100, with the errors marked or, in DA, without."""
        return "DA" if self.campaign and self.campaign.info.get("protocol") == "DA" else "ESA"

    def _left_out(self, code: str, reason: str, mend: str, field: str = "") -> LeftOut:
        return LeftOut(self.line, code, field, reason, mend)
