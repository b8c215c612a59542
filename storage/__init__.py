"""All that is on disk: the schema, the judge's record, the review log, file formats."""
