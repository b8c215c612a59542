"""Figures behind the promises of speed: each module measures one part against a bare Textual app in the same run."""
