"""Renderers of a report: text, HTML, Markdown, LaTeX, CSV and pictures."""
