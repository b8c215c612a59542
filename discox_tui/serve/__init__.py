"""The server of browser sessions: links that are keys, one process a session, a page that loads nothing from outside.

``server`` alone needs aiohttp, and the page the files of ``textual_serve``: both come with the extra ``serve``.
"""
