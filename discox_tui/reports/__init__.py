"""Figures for people in a terminal, in files and for programs; nothing here opens a screen."""
