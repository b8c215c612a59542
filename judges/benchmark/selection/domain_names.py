"""Names of domains in either language: one code for each, so that quotas and candidates agree however they say it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from judges.words import word_tables

_BETWEEN = re.compile(r"[\s_-]+")


def domain_code(name: str) -> str:
    """Return the code of a domain or sub-domain, given by its code or a name of it in Chinese or English.

    A name that DiscoX has not is its own code; case, spaces, hyphens and underscores tell no two names apart.
    """
    plain = _plain(name)
    return _codes().get(plain, plain)


def is_domain(asked: str, given: str) -> bool:
    """Return whether a domain is the one that is asked for, or one of the group that is."""
    wanted, code = domain_code(asked), domain_code(given)
    return code == wanted or code in _groups().get(wanted, ())


@cache
def _groups() -> Mapping[str, frozenset[str]]:
    table = word_tables(__file__)["groups"]
    return {_plain(name): frozenset(map(_plain, codes)) for name, codes in table.items()}


@cache
def _codes() -> Mapping[str, str]:
    table = word_tables(__file__)["domains"]
    return {_plain(name): _plain(code) for code, names in table.items() for name in (code, *names)}


def _plain(name: str) -> str:
    return _BETWEEN.sub(" ", name.strip().casefold())
