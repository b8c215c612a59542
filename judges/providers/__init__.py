"""Models that can be asked: one small interface, a module for each kind of server, one policy for all of them.

The only room of ``judges`` that may open a connection or look at a clock. It writes nothing down itself: whoever asks
hands in what remembers the attempts.
"""
