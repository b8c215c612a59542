"""What is said of a candidate beside its text: its domain, where it is from, on what terms it may be used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from judges.building.checks import Check
from judges.building.selection import Quota, Standing


def described(said: Mapping[str, str], quotas: Sequence[Quota] = ()) -> Iterator[Check]:
    """Yield what is missing of direction, domain, subdomain, origin and licence, or fits none of the quotas."""
    kind = Standing(said["direction"], said["domain"], said["subdomain"])
    if not kind.domain.strip():
        yield Check("domain", "warns", "It has no domain.", "Say of which it is: the benchmark is balanced by domain.")
    elif quotas and not any(quota.holds(kind) for quota in quotas):
        named = ", ".join(filter(None, (kind.direction, kind.domain, kind.subdomain)))
        mend = "Correct direction, domain or sub-domain, or ask for such articles in the quotas."
        yield Check("domain", "warns", f"No quota is for {named}.", mend)
    if not said["origin"].strip():
        yield Check("origin", "warns", "Nobody said where it is from.", "Say who published it, where and when.")
    if not said["licence"].strip():
        mend = "Say under which licence or permission it is; without one it may be of no use to others."
        yield Check("licence", "warns", "Nobody said on what terms it may be used.", mend)
