"""Statements in prose: what is asserted, and not supposed, asked or denied; and the sentences that hold it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

SUPPOSED = (
    r"(?:若(?!干)|如果|假[如设使]|倘使|要是|除非|一旦|万一|只要|是否|能否|应否|可否"
    r"|如(?=存在|有|无|不|需|属于|二者|两者|重复|确)"
    r"|\b(?:if|unless|whether|in case|provided|assuming|suppos\w+|would|could|might|whenever)\b)"
)
"""Words after which a sentence supposes or asks, and says nothing of what is."""
CONCLUDED = (
    r"(?:因此|所以|故(?=此|应|将|而|删|保|【)|综上|可见"
    r"|\b(?:therefore|thus|hence|accordingly|consequently|in conclusion)\b|,\s?so\b)"
)
"""Words after which the same sentence asserts again."""
DENIED = (
    r"(?:没有?(?:任何)?(?:必要|理由|道理)|无(?:理由|必要)|并非|不(?:认为|建议|推荐|主张|赞成|支持|同意|能说|可说)"
    r"|反对|避免|禁止|拒绝|\b(?:no|without) (?:\w+ )?(?:need|reason|cause|grounds|point)\b|\bunnecessary\b"
    r"|\bneeds? no\b|\bneither\b|\bavoid\b|\bagainst\b"
    r"|(?:\bnot|n't) (?:think|believe|agree|recommend|suggest|advise|mean)\b)"
)
"""Words that deny all of what a clause says after them."""
NEGATED = (
    r"(?:[不未勿毋莫别](?=[应该需要须必用予能可当得会宜便被将其把再给以不未勿删去移剔排舍保计扣留属归算并合重])"
    r"[应该需要须必用予能可当得会宜便被将其把再给以]{0,4}|没有?(?=被|将|把|删|保留)|无[需须]要?|不是(?=应|要|需|该)"
    r"|(?:\b(?:not(?! only)|never|nor|nothing|none|cannot)\b|n't\b|\bno longer\b)(?: (?:need|have|has) to\b)?)"
)
"""Words that negate the next verb. Two of them assert."""

_SENTENCE = re.compile(r"[。;；\n!！?？]|\.(?=\s|\Z)")
_HYPOTHESIS = re.compile(f"{SUPPOSED}|(?P<concluded>{CONCLUDED})")
_DENIAL = re.compile(rf"(?:{DENIED}|不是|不算|不等于|\bnot(?! only)\b|n't\b|\bnever\b)[^,，、]{{0,40}}\Z")


def folded(text: str) -> str:
    """Return prose as it is compared: NFKC, without case."""
    return unicodedata.normalize("NFKC", text).casefold()


def sentences(text: str) -> Iterator[str]:
    """Give the sentences of a text, each with the mark that ends it."""
    at = 0
    for match in _SENTENCE.finditer(text):
        yield text[at : match.end()]
        at = match.end()
    yield text[at:]


def asserts(pattern: re.Pattern[str], text: str) -> bool:
    """Return whether a text says what a pattern matches, and neither supposes, asks nor denies it."""
    for sentence in sentences(folded(text)):
        asked = sentence.rstrip()[-1:] == "?"
        for match in islice(pattern.finditer(sentence), 0 if asked else _MOST):
            before = sentence[max(match.start() - _BEFORE, 0) : match.start()]
            supposed = [found["concluded"] is None for found in _HYPOTHESIS.finditer(before)]
            if not (supposed and supposed[-1]) and not _DENIAL.search(before):
                return True
    return False


_MOST = 50
"""Places of one sentence that are looked at."""
_BEFORE = 200
"""Characters before a word within which another one may suppose or deny it."""
