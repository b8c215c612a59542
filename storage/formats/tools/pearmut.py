"""Pearmut: a campaign (what was to be rated) and its log (who rated it how), in two files.

A newer log repeats the texts in every line; for an older one the campaign is looked for beside it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from storage.base.groups import Groups
from storage.base.identity import digest
from storage.formats.base.directions import codes_joined
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import Document, Remark, Segment
from storage.formats.base.offsets import Pearmut
from storage.formats.base.own_blocks import read_block
from storage.formats.base.ratings import Rating, collect
from storage.formats.base.round_trip import KEY
from storage.formats.base.span_marks import MISSING, marks_of
from storage.formats.io.head import Head
from storage.formats.io.input_file import AnyFile, InputFile
from storage.formats.io.json_objects import (
    lists_by_key,
    objects_by_line,
    starts_with_list,
    top_level_keys,
    whole_object,
)
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
_CAMPAIGN = {"campaign_id", "info", "data", "made_by", "data_welcome", "data_random", "data_goodbye", "token", "url"}


class PearmutFiles(Format):
    """A campaign of Pearmut, or its log."""

    name, title = "pearmut", "Pearmut"
    needed = ("user_id", "item_i", "annotation")

    def sniff(self, head: Head) -> bool:
        """Tell if the object is a campaign, one of the first lines is of a log, or it holds logs by campaign."""
        if _is_campaign(head.keys) or any(value.keys() >= {*self.needed} for value in head.objects):
            return True
        return head.is_json and not head.is_list and _holds_logs(head.file)

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield a campaign's documents, or the annotations of a log."""
        if _is_campaign(top_level_keys(file)):
            yield from _documents(_Campaign(file))
        else:
            own: list[Item] = []
            yield from collect(_ratings(file, options, own))
            yield from own


def signature(items: Sequence[Mapping[str, Any]], answers: object = None) -> str:
    """Return a sign of a document's items, and perhaps of what somebody said of them, by which changes show."""
    fields = ("src", "tgt", "item_id", "error_spans")
    return digest(*([item.get(name) for name in fields] for item in items), answers)


def _written_by_us(items: Sequence[Mapping[str, Any]], own: object, answers: object, line: int) -> list[Item]:
    """All that an export of ours says of a document; nothing where it was changed since, or is not ours."""
    if not isinstance(own, dict) or own.get("sign") != signature(items, answers):
        return []
    found: list[Item] = []
    try:
        for model, block in own["translations"]:
            found += read_block(block, [(item["src"], item["tgt"][model]) for item in items], line)
    except (ValueError, TypeError, KeyError):
        return []
    return found


def _holds_logs(file: AnyFile) -> bool:
    """Tell if a file is what Pearmut downloads of several campaigns: the lines of each log as a list."""
    first = next((item for _, item in lists_by_key(file)), None)
    return isinstance(first, JsonObject) and first.value.keys() >= {"user_id", "item_i", "annotation"}


def _lines(file: InputFile) -> Iterator[tuple[str, int, JsonObject | LeftOut]]:
    """Yield the lines of a log, or of several in one object, each with the name of its campaign and its number.

    The number is the line's own, or a count where all may stand in one.
    """
    if starts_with_list(file) or not _holds_logs(file):
        yield from ((file.stem, item.line, item) for item in objects_by_line(file))
    else:
        yield from ((name, at, item) for at, (name, item) in enumerate(lists_by_key(file), 1))


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


def _campaign_of(path: Path, name: str, options: ReadOptions) -> _Campaign | None:
    """The campaign of a log: one that was named with it, or lies where Pearmut puts it, or alone in the same folder."""
    kept = (path.parent.parent / folder / f"{name}.json" for folder in ("campaigns", "tasks"))
    beside = sorted(file for file in path.parent.glob("*.json") if file.is_file())
    found = []
    for file in (*options.beside, path.parent / f"{name}.json", *kept, *beside):
        try:
            if file != path and file.is_file() and file not in found and _is_campaign(top_level_keys(file)):
                if file.stem == name:
                    return _Campaign(file)
                found.append(file)
        except FormatError:
            continue
    campaigns = [_Campaign(file) for file in found]
    named = [campaign for campaign in campaigns if campaign.name == name]
    return named[0] if named else campaigns[0] if len(campaigns) == 1 else None


def _documents(campaign: _Campaign) -> Iterator[Item]:
    """Yield every system's translation of every document of a campaign."""
    for position, document in enumerate(campaign.documents(), 1):
        items = _items(document)
        if own := _written_by_us(items, items[0].get(KEY) if items else None, None, 1):
            yield from own
            continue
        models = dict.fromkeys(model for item in items for model in _texts(item))
        if not models:
            yield LeftOut(
                1, "no_translations", "data", f"document {position} holds no translations", "check the campaign"
            )
        article, direction, domain = _names(items, campaign.name)
        for model in models:
            held = [(item, text) for item in items if (text := _texts(item).get(model)) is not None]
            segments = tuple(
                Segment(_id(item) or str(n), _source(item), text) for n, (item, text) in enumerate(held, 1)
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


def _source(item: Mapping[str, Any]) -> str:
    """The source; of one that is a picture or a video its text."""
    return word(item.get("src_text")) or word(item.get("src"))


def _id(item: Mapping[str, Any]) -> str:
    return word(item.get("item_id")) or word(item.get("doc_id"))


def _names(items: Sequence[Mapping[str, Any]], campaign: str) -> tuple[str, str, str]:
    """The name of a document, its direction and domain, from its items' ids as far as they are as WMT's.

    Ids of WMT26 leave the languages to the campaign's name (``eng_Latn---isl_Latn v3``); the document is then called
    with them, as its id is in the test set.
    """
    ids = [_id(item) for item in items]
    named = {wmt_names(identity)[:3] for identity in ids}
    if len(named) == 1 and (found := named.pop())[0]:
        article, direction, domain = found
        if not direction and domain and (languages := _OF_CAMPAIGN.match(campaign)):
            source, target = languages.groups()
            mark = "_###_"
            article = mark.join((domain, source, target, article.partition(mark)[2]))
            direction = codes_joined(source, target)
        return article, direction, domain
    sources = "\n".join(_source(item) for item in items)
    name = (
        next(filter(None, ids), "") or f"pearmut-{hashlib.sha256(sources.encode('utf-8', 'replace')).hexdigest()[:8]}"
    )
    return name, "", ""


_OF_CAMPAIGN = re.compile(r"([A-Za-z_]+)---([A-Za-z_]+)(?![^\s.])")
_CHECKS = re.compile(r"attention_check_|.*_#_tutorial_#_", re.DOTALL)
"""Beginnings of the ids of items that check the annotator, or teach."""


# --- The log --------------------------------------------------------------------------------------------------


def _ratings(path: InputFile, options: ReadOptions, own: list[Item]) -> Iterator[Rating | LeftOut | Remark]:
    """Yield what stands at the end of a log, and of each line what it was replaced or taken back by."""
    last = _Last(path)
    campaigns: dict[str, _Campaign | None] = {}
    told: set[str] = set()
    for name, at, item in _lines(path):
        if isinstance(item, LeftOut):
            yield item
            continue
        for flag in item.flags:
            yield Remark(item.line, flag.code, "", flag.message)
        if isinstance(item.value.get(KEY), dict) and (
            found := _written_by_us(
                _items(item.value.get("item")), item.value[KEY], item.value.get("annotation"), item.line
            )
        ):
            own += found
            continue
        if name not in campaigns:
            campaigns[name] = _campaign_of(path.path, name, options)
        campaign = campaigns[name]
        guessed = name not in told and (campaign is None or campaign.counts_line_feeds is None)
        for rating in _Line(item, at, name, campaign, options).ratings(last):
            if guessed and isinstance(rating, Rating) and rating.marks and "\n" in rating.translation:
                guessed = False
                told.add(name)
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
    """The numbers of the last resets, and of last answers that skip an item; on disk where large."""

    def __init__(self, path: InputFile) -> None:
        self._lines = Groups[tuple[int, bool]]()
        self._resets: dict[tuple[str, str], dict[str, int]] = {}
        for campaign, at, item in _lines(path):
            if isinstance(item, JsonObject):
                user, item_i = _key(item.value)
                annotation = item.value.get("annotation")
                if annotation == RESET:
                    self._resets.setdefault((campaign, user), {})[item_i] = at
                else:
                    for n, model, answer in _models(annotation):
                        self._lines.add((campaign, user, item_i, n, model), (at, _is_skipped(answer)))

    def skipped(self, campaign: str, user: str, item_i: str, position: int, model: str) -> int:
        """The number of the last answer of a user on a model's translation, if it skips it; else 0."""
        at, skipped = self._lines.of((campaign, user, item_i, position, model))[-1]
        return at if skipped else 0

    def reset(self, campaign: str, user: str, item_i: str) -> int:
        """The last reset of an item, or of all of a user's; 0 where there is none."""
        return max((self._resets.get((campaign, user), {}).get(name, 0) for name in ("", item_i)), default=0)


class _Line:
    """One line of a log."""

    def __init__(self, item: JsonObject, at: int, name: str, campaign: _Campaign | None, options: ReadOptions) -> None:
        self.line, self.at, self.row, self.name = item.line, at, item.value, name
        self.user, self.item_i = _key(item.value)
        self.campaign, self.options = campaign, options

    def ratings(self, last: _Last) -> Iterator[Rating | LeftOut]:
        annotation = self.row.get("annotation")
        taken_back = last.reset(self.name, self.user, self.item_i)
        if annotation == RESET:
            yield self._left_out("reset", "takes back what stood before of this item", "nothing to do")
        elif taken_back > self.at:
            yield self._left_out("reset", f"was taken back in {self._where(taken_back)}", "nothing to do")
        elif self.item_i.startswith(("welcome_", "random_", "goodbye_")):
            reason = f"is a tutorial or an attention check ({self.item_i[:20]}), no rating"
            yield self._left_out("no_rating", reason, "nothing to do", "item_i")
        elif any(_CHECKS.match(_id(item)) for item in self._held()):
            reason = "is of a tutorial or an attention check, by the ids of its items, no rating"
            yield self._left_out("no_rating", reason, "nothing to do", "item_id")
        elif any("form" in item for item in _items(self.row.get("item"))):
            yield self._left_out("no_rating", "is a form that was filled in, no rating", "nothing to do", "item")
        elif not self.user:
            yield self._left_out("bad_field", "is missing: nobody's rating", "give the user_id", "user_id")
        elif not (answers := list(_models(annotation))):
            reason = f"is {kind(annotation)}, and holds no model's answer"
            yield self._left_out("bad_field", reason, "check the log", "annotation")
        else:
            items = self._held()
            if not items:
                reason = f"has no texts, and no campaign was found that has item {self.item_i[:20]} of {self.user[:40]}"
                yield self._left_out("no_texts", reason, _MEND_CAMPAIGN, "item")
                return
            for position, model, answer in answers:
                skipped = last.skipped(self.name, self.user, self.item_i, position, model)
                if skipped > self.at:
                    reason = f"{model[:40]}, item {position + 1}: was skipped later, in {self._where(skipped)}"
                    yield self._left_out("replaced", reason, "nothing to do", "annotation")
                else:
                    yield self._rating(items, position, model, answer)
            yield from self._texts(items, {model for _, model, _ in answers})

    def _where(self, at: int) -> str:
        return f"line {at}" if self.at == self.line else f"entry {at}"

    def _held(self) -> list[dict[str, Any]]:
        """Return the items that the line is about: its own, else the campaign's."""
        held = self.row.get("item")
        if not isinstance(held, list):
            held = self.campaign.document(self.user, self.row.get("item_i")) if self.campaign else None
        return _items(held)

    def _texts(self, items: list[dict[str, Any]], models: set[str]) -> Iterator[Rating]:
        """Yield the texts of the whole document, so that it is whole where only some of it was rated."""
        article, direction, domain = _names(items, self.name)
        for n, item in enumerate(items):
            for model, text in _texts(item).items():
                if model in models:
                    yield Rating(
                        line=self.line,
                        article=article,
                        system=self.options.system or model,
                        source=_source(item),
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
        article, direction, domain = _names(items, self.name)
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
            source=_source(item),
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
