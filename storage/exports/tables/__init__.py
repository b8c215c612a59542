"""The library as flat tables, for spreadsheets and data frames, and the text that goes with them."""
