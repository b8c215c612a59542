"""How good the systems are by one judge: means with intervals over articles, and who is truly ahead of whom.

Read these from the modules directly: ``records``, ``ranking``.
"""
