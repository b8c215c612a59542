"""The event logs of a library: the order of events, reading and writing, undo and redo, and checks of what is read."""
