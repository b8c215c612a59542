"""Files as lines, JSON, tables and archives, whatever they hold."""
