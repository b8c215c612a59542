"""How far a judge and the humans who reviewed it agree: correlations, kappas, and the outcome of every finding.

Nothing here reads a file or opens a screen. numpy is imported only where a figure is computed.
"""
