"""The part that people see: the app, its screens and widgets, the command line."""

__version__ = "0.1.0"
