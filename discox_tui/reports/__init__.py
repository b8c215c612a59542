"""The same figures for people in a terminal and for programs; nothing here opens a screen."""
