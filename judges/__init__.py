"""The science of auditing a judge of translation: no files, no screens."""
