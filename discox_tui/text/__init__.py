"""Text on its way to the screen: made safe, measured, wrapped, marked. No Textual here."""
