"""Dealings with the terminal under the app: input, driver, signals, what is typed ahead."""
