"""The record: articles, translations, evaluations and few-shot sets."""
