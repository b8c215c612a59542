"""Commands that ask models or tell of asking: judge, translate, usage, few-shot packs."""
