"""Special tokens of models, such as ``<|im_end|>``, in texts: shown so that a server takes them for plain words.

A server that builds a model's input out of our message may read such a word as the end of it. So its brackets are sent
as others that look like them, and what a judge quotes is turned back. A text without any is sent as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count

_TOKEN = re.compile(
    r"<[|｜][^<>|｜\s]{1,60}[|｜]>"  # <|im_start|>, <|endoftext|>, <|eot_id|>, <｜User｜>
    r"|<</?SYS>>|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|THINK)\]|\[[gs]MASK\]"
    r"|</?(?:s|bos|eos|pad|unk|mask|sop|eop|think|thinking|thought|reasoning|tools?|tool_calls?|tool_response"
    r"|(?:start|end|begin)_of_[a-z]{1,20}|im_start|im_end|begin_of_box|end_of_box)>"
    r"|<(?:unused|extra_id_|reserved_|SPECIAL_)\d{1,6}>"
)
_SHOWN = {"<": "‹", ">": "›", "[": "⟦", "]": "⟧"}


@dataclass(frozen=True)
class Disguise:
    """Special tokens of some texts, each with the words it is shown as; these occur in none of the texts."""

    shown: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: Iterable[str]) -> Disguise:
        """Find the tokens of the texts. Brackets are doubled until no text holds one of the words already."""
        whole = "\0".join(texts)
        tokens = sorted({match[0] for match in _TOKEN.finditer(whole)})
        ways = ({token: _shown(token, times) for token in tokens} for times in count(1))
        return cls(next(way for way in ways if not any(word in whole for word in way.values())))

    def hide(self, text: str) -> str:
        """Return the text with its tokens as they are shown."""
        return _TOKEN.sub(lambda match: self.shown.get(match[0], match[0]), text) if self.shown else text

    def restore(self, text: str) -> str:
        """Return the text with the tokens that it shows."""
        if not self.shown:
            return text
        tokens = {word: token for token, word in self.shown.items()}
        longest_first = sorted(tokens, key=len, reverse=True)
        return re.sub("|".join(map(re.escape, longest_first)), lambda match: tokens[match[0]], text)


PLAIN = Disguise()
"""The disguise of texts without special tokens."""


def _shown(token: str, times: int) -> str:
    return "".join(_SHOWN[mark] * times if mark in _SHOWN else mark for mark in token)
