"""Counts of tokens: estimates by characters, and whether a server's count says that it cut a text."""

from __future__ import annotations

import re
from dataclasses import replace

from judges.providers.model import Request, Tokens


def estimated_tokens(text: str) -> float:
    """Return about how many tokens a text is: four Latin letters are one, four Chinese characters three.

    A rough figure for what has to be known before anyone has counted; tokenizers differ by a third either way.
    """
    wide = (len(text.encode("utf-8", "surrogatepass")) - len(text)) / 2
    return 0.25 * (len(text) - wide) + 0.75 * wide


def metered(request: Request, tokens: Tokens, answer: str) -> Tokens:
    """Return the tokens that an answer took: as the server counts them, else estimated from the characters.

    What a model thought is not in an estimate, since nobody saw it.
    """
    asked, said = tokens.input, tokens.output
    if asked is None:
        asked = round(estimated_tokens(request.system) + estimated_tokens(request.user))
        asked = max(asked, tokens.cached or 0)
    if said is None:
        said = round(estimated_tokens(answer))
    return replace(tokens, input=asked, output=said)


def with_cached(tokens: Tokens) -> Tokens:
    """Return tokens of which the cached ones are part of the input, where a server told these apart from it."""
    asked, cached = tokens.input, tokens.cached
    return tokens if asked is None or not cached or cached <= asked else replace(tokens, input=asked + cached)


LEAST_CONTEXT = 256
"""Tokens below which no server cuts: a smaller count is of something else, such as of what was not cached."""
HAN_A_TOKEN, OTHERS_A_TOKEN = 3, 8
"""Characters that a token is taken to hold at most, on average over a text: Chinese ones, any others.

Tokenizers come to 1 to 2.3 characters a token on Chinese, 4 to 5 on English, up to 6 on languages that they were made
for. A run of one character (blanks, dashes) can be one token, so that a run counts as three characters.
"""
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_RUN = re.compile(r"(.)\1{3,}", re.DOTALL)


def cut_short(counted: int, *texts: str) -> bool:
    """Say whether a server that ``counted`` so many tokens of these texts cannot have read them whole."""
    if counted < LEAST_CONTEXT:
        return False
    length = sum(map(len, texts))
    wide = sum(len(text.encode("utf-8", "surrogatepass")) - len(text) for text in texts) / 2
    if counted >= _fewest(length, min(wide, length)):
        return False  # as almost always: nothing has to be looked at
    plain = [_RUN.sub(r"\1\1\1", text) for text in texts]
    return counted < _fewest(sum(map(len, plain)), sum(len(_HAN.findall(text)) for text in plain))


def _fewest(length: int, han: float) -> float:
    """The tokens that a text has at least, by its characters and how many of them are Chinese."""
    return han / HAN_A_TOKEN + (length - han) / OTHERS_A_TOKEN
