"""Parts that every command shares: output, the library it opens, options of reports."""
