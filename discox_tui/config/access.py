"""Access of one session: what whoever sits before it may reach beyond the library; screens ask it, not where they run.

The server of browser sessions sets it for each process that it starts; at a terminal everything may be reached.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

VARIABLE = "DISCOX_ACCESS"
_FROM_AFAR, _READ_ONLY, _REVIEWER = "from-afar", "read-only", "reviewer"


@dataclass(frozen=True, slots=True)
class Access:
    """The reach of a session. The default is that of whoever sits at the machine.

    ``machine``: files by name, and models with the keys that lie there. ``write``: the library may be changed.
    ``lead``: how far others are, and who is to review what.
    """

    machine: bool = True
    write: bool = True
    lead: bool = True

    def as_environment(self) -> dict[str, str]:
        """Return the variable that gives a process this access."""
        taken = ((_FROM_AFAR, self.machine), (_READ_ONLY, self.write), (_REVIEWER, self.lead))
        return {VARIABLE: ",".join(word for word, held in taken if not held)}


AT_THE_MACHINE = Access()


def access(environment: Mapping[str, str] = os.environ) -> Access:
    """Return the access that the environment gives this process; a word that is not known takes all of it away."""
    words = {word for word in environment.get(VARIABLE, "").split(",") if word}
    if words - {_FROM_AFAR, _READ_ONLY, _REVIEWER}:
        words = {_FROM_AFAR, _READ_ONLY, _REVIEWER}
    return Access(machine=_FROM_AFAR not in words, write=_READ_ONLY not in words, lead=_REVIEWER not in words)


NO_MACHINE = "Not through a link: models are asked, and files named, at the machine where the library lies"
ONLY_THE_LEAD = "This link shows your own work; how far others are is on the lead's"
ONLY_LOOKING = "This link only shows the library; nothing that is done here is kept"
