"""Running judges and systems: what is to be done, who is asked, what is spent; no screen and no words for people."""
