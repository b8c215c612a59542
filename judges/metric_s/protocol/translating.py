"""Translation by a model, in the data set's own words where it has some; apart from the judges' protocol."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from judges.metric_s.protocol.document_block import sendable
from judges.metric_s.protocol.prompts import Prompts, languages_of
from judges.metric_s.protocol.special_tokens import Disguise
from judges.model import Article
from judges.providers.model import Parameters, Reading, Request


def render_translation(article: Article, prompts: Prompts) -> str:
    """Return the message that asks for a translation, special tokens shown as plain words.

    A user's own prompt decides; else the article's, if it holds the text; else the program's.
    """
    text = article.source.strip()
    disguise = _disguise(article)
    if text and text in article.prompt and not prompts.is_own("translation"):
        return disguise.hide(sendable(article.prompt))
    source, target = (disguise.hide(language) for language in languages_of(article.direction))
    text = disguise.hide(sendable(text))
    return prompts.render("translation", source_language=source, target_language=target, text=text)


def _disguise(article: Article) -> Disguise:
    return Disguise.of((sendable(article.prompt), sendable(article.source), article.direction))


def translation_reader(article: Article) -> Callable[[str, bool], Reading[str]]:
    """Return the reader of an article's translation: the special tokens that it shows are those of the source."""
    disguise = _disguise(article)

    def read(text: str, cut: bool) -> Reading[str]:
        reading = read_translation(text, cut)
        return reading if reading.value is None else replace(reading, value=disguise.restore(reading.value))

    return read


def translation_request(
    article: Article,
    prompts: Prompts,
    provider: str,
    server: str,
    model: str,
    parameters: Parameters,
    sample: int = 1,
) -> Request:
    """Return the question for a translation of an article: one message, no system text, the answer plain."""
    message = render_translation(article, prompts)
    return Request(
        step="translation",
        provider=provider,
        server=server,
        model=model,
        system="",
        documents=message,
        task="",
        schema=None,
        parameters=parameters,
        sample=sample,
    )


def read_translation(text: str, cut: bool) -> Reading[str]:
    """Read a translation: all that was answered, but for what a model thought aloud before it."""
    translation = _THOUGHT.sub("", text, count=1).strip()
    if cut:
        return Reading(translation or None, "truncated", "text", "it breaks off")
    return (
        Reading(translation, step="text") if translation else Reading(None, "unparsable", reason="it is only thinking")
    )


_TAG = "think(?:ing)?"
_THOUGHT = re.compile(rf"\A\s*<{_TAG}>(?:.*?</{_TAG}>|.*)|\A(?:(?!<{_TAG}>).)*?</{_TAG}>[ \t]*(?:\n|\Z)", re.DOTALL)
"""Thinking before the answer; some servers leave out the opening tag. Further down, such tags are the text's own."""
