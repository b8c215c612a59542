"""How a terminal that puts right-to-left text in order shows a row: the Unicode bidirectional algorithm (UAX #9) for
text without its controls, which are never written to a terminal."""

from __future__ import annotations

import unicodedata

_PAIRS = {"(": ")", "[": "]", "{": "}", "「": "」", "『": "』", "《": "》", "〈": "〉", "【": "】", "（": "）"}


def levels(row: str, base: int = 0) -> list[int]:
    """Return the embedding level of each character of a row whose paragraph level is ``base``."""
    kinds = [unicodedata.bidirectional(c) or "L" for c in row]
    original = list(kinds)
    sor = "LR"[base]
    before, strong = sor, sor  # W1, W2 and W3
    for i, kind in enumerate(kinds):
        if kind == "NSM":
            kinds[i] = kind = before
        if kind in ("L", "R", "AL"):
            strong = kind
        elif kind == "EN" and strong == "AL":
            kinds[i] = "AN"
        before = kinds[i]
    kinds = ["R" if k == "AL" else k for k in kinds]
    for i in range(1, len(kinds) - 1):  # W4
        a, k, b = kinds[i - 1 : i + 2]
        if a == b == "EN" and k in ("ES", "CS"):
            kinds[i] = "EN"
        elif a == b == "AN" and k == "CS":
            kinds[i] = "AN"
    i = 0
    while i < len(kinds):  # W5 and W6
        if kinds[i] == "ET":
            j = i
            while j < len(kinds) and kinds[j] == "ET":
                j += 1
            number = (i and kinds[i - 1] == "EN") or (j < len(kinds) and kinds[j] == "EN")
            kinds[i:j] = ["EN" if number else "ON"] * (j - i)
            i = j
        else:
            i += 1
    kinds = ["ON" if k in ("ES", "CS") else k for k in kinds]
    strong = sor
    for i, k in enumerate(kinds):  # W7
        if k in "LR":
            strong = k
        elif k == "EN" and strong == "L":
            kinds[i] = "L"

    def side(kind: str) -> str:
        return "R" if kind in ("R", "EN", "AN") else kind

    stack: list[tuple[str, int]] = []
    pairs: list[tuple[int, int]] = []
    for i, c in enumerate(row):  # N0
        if kinds[i] != "ON":
            continue
        if c in _PAIRS:
            stack.append((_PAIRS[c], i))
        else:
            for depth in range(len(stack) - 1, -1, -1):
                if stack[depth][0] == c:
                    pairs.append((stack[depth][1], i))
                    del stack[depth:]
                    break
    for first, last in sorted(pairs):
        inside = {side(k) for k in kinds[first + 1 : last]} & {"L", "R"}
        found = None
        if sor in inside:
            found = sor
        elif inside:
            context = next((side(k) for k in reversed(kinds[:first]) if side(k) in "LR"), sor)
            found = context if context != sor else sor
        if found:
            kinds[first] = kinds[last] = found
            for at in (first, last):
                for j in range(at + 1, len(kinds)):
                    if original[j] != "NSM":
                        break
                    kinds[j] = found
    i = 0
    while i < len(kinds):  # N1 and N2
        if kinds[i] in ("B", "S", "WS", "ON", "BN"):
            j = i
            while j < len(kinds) and kinds[j] in ("B", "S", "WS", "ON", "BN"):
                j += 1
            a = side(kinds[i - 1]) if i else sor
            b = side(kinds[j]) if j < len(kinds) else sor
            kinds[i:j] = [a if a == b else sor] * (j - i)
            i = j
        else:
            i += 1
    found_levels = []
    for k in kinds:  # I1 and I2
        if base == 0:
            found_levels.append({"L": 0, "R": 1}.get(k, 2))
        else:
            found_levels.append(1 if k == "R" else 2)
    for i in range(len(row) - 1, -1, -1):  # L1
        if original[i] not in ("WS", "BN"):
            break
        found_levels[i] = base
    return found_levels


def order(row: str, base: int = 0) -> list[int]:
    """Return, for each place on the line from the left, which character of ``row`` stands there (rule L2)."""
    level = levels(row, base)
    shown = list(range(len(row)))
    for height in range(max(level, default=0), 0, -1):
        i = 0
        while i < len(row):
            if level[shown[i]] >= height:
                j = i
                while j < len(row) and level[shown[j]] >= height:
                    j += 1
                shown[i:j] = shown[i:j][::-1]
                i = j
            else:
                i += 1
    return shown


def moved(row: str, base: int = 0) -> list[tuple[int, int]]:
    """Return the stretches ``[start, end)`` of a row within which characters change places."""
    shown, found, highest, start = order(row, base), [], -1, 0
    for place, index in enumerate(shown):
        highest = max(highest, index)
        if highest == place:
            if place > start:
                found.append((start, place + 1))
            start = place + 1
    return found
