"""The folders of mt-metrics-eval: texts, error spans and scores, whose lines go together."""
