"""Files for people and other tools: one module a format, all behind ``discox export``."""
