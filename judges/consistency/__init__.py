"""Agreement of a judge with the reviewers who audited it: correlations, kappas, and the outcome of every error.

Everything in `PUBLIC` can be imported from here: ``from judges.consistency import krippendorff_alpha``. A name's module
is loaded when the name is asked for, and numpy when a figure is computed. No file is read, no screen opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

PUBLIC: Mapping[str, tuple[str, ...]] = {
    "stats.correlation": ("pearson", "spearman", "kendall_tau_b", "kendall_tau_c", "within_groups"),
    "stats.kappa": (
        *("rating_table", "observed_agreement", "weighted_kappa", "gwet_ac1", "krippendorff_alpha"),
        *("percent_agreement", "fleiss_kappa", "gwet_ac"),
    ),
    "meta_eval.score_table": ("ScoreRow",),
    "meta_eval.pairwise": ("pairwise", "pairwise_by"),
    "meta_eval.pair_counts": ("count_pairs", "pair_scores", "calibrate"),
    "meta_eval.soft_pairwise": ("soft_pairwise_accuracy",),
    "meta_eval.metric_tests": ("compare_metrics", "perm_both"),
    "meta_eval.rated_segments": ("segment_cells",),
    "meta_eval.metric_ranking": ("rank_metrics",),
    "meta_eval.system_tests": ("compare_systems",),
    "meta_eval.sample_size": ("plan", "plan_systems"),
    "meta_eval.alternative_annotator": ("alternative_annotator_test",),
    "consistency.spans": ("ErrorSpan", "span_match", "match_errors", "char_f1", "total"),
    "consistency.findings": ("finding_figures", "detection_by"),
    "consistency.label_agreement": ("instruction_agreement",),
    "consistency.documents": ("compare",),
    "consistency.rater_effects": ("rater_severity", "variance_components"),
    "consistency.inter_annotator": ("between_humans", "within_reviewers"),
    "stats.intervals": ("wilson", "Bootstrap"),
}
"""Module of ``judges`` → what it exports for people who compute figures of their own."""

if TYPE_CHECKING:  # the same names for editors and type checkers
    from judges.consistency.documents import compare as compare
    from judges.consistency.findings import detection_by as detection_by
    from judges.consistency.findings import finding_figures as finding_figures
    from judges.consistency.inter_annotator import between_humans as between_humans
    from judges.consistency.inter_annotator import within_reviewers as within_reviewers
    from judges.consistency.label_agreement import instruction_agreement as instruction_agreement
    from judges.consistency.rater_effects import rater_severity as rater_severity
    from judges.consistency.rater_effects import variance_components as variance_components
    from judges.consistency.spans import ErrorSpan as ErrorSpan
    from judges.consistency.spans import char_f1 as char_f1
    from judges.consistency.spans import match_errors as match_errors
    from judges.consistency.spans import span_match as span_match
    from judges.consistency.spans import total as total
    from judges.meta_eval.alternative_annotator import alternative_annotator_test as alternative_annotator_test
    from judges.meta_eval.metric_ranking import rank_metrics as rank_metrics
    from judges.meta_eval.metric_tests import compare_metrics as compare_metrics
    from judges.meta_eval.metric_tests import perm_both as perm_both
    from judges.meta_eval.pair_counts import calibrate as calibrate
    from judges.meta_eval.pair_counts import count_pairs as count_pairs
    from judges.meta_eval.pair_counts import pair_scores as pair_scores
    from judges.meta_eval.pairwise import pairwise as pairwise
    from judges.meta_eval.pairwise import pairwise_by as pairwise_by
    from judges.meta_eval.rated_segments import segment_cells as segment_cells
    from judges.meta_eval.sample_size import plan as plan
    from judges.meta_eval.sample_size import plan_systems as plan_systems
    from judges.meta_eval.score_table import ScoreRow as ScoreRow
    from judges.meta_eval.soft_pairwise import soft_pairwise_accuracy as soft_pairwise_accuracy
    from judges.meta_eval.system_tests import compare_systems as compare_systems
    from judges.stats.correlation import kendall_tau_b as kendall_tau_b
    from judges.stats.correlation import kendall_tau_c as kendall_tau_c
    from judges.stats.correlation import pearson as pearson
    from judges.stats.correlation import spearman as spearman
    from judges.stats.correlation import within_groups as within_groups
    from judges.stats.intervals import Bootstrap as Bootstrap
    from judges.stats.intervals import wilson as wilson
    from judges.stats.kappa import fleiss_kappa as fleiss_kappa
    from judges.stats.kappa import gwet_ac as gwet_ac
    from judges.stats.kappa import gwet_ac1 as gwet_ac1
    from judges.stats.kappa import krippendorff_alpha as krippendorff_alpha
    from judges.stats.kappa import observed_agreement as observed_agreement
    from judges.stats.kappa import percent_agreement as percent_agreement
    from judges.stats.kappa import rating_table as rating_table
    from judges.stats.kappa import weighted_kappa as weighted_kappa
else:
    _MODULE_OF = {name: module for module, names in PUBLIC.items() for name in names}
    __all__ = ["PUBLIC", *_MODULE_OF]

    def __getattr__(name: str) -> object:
        if name not in _MODULE_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"judges.{_MODULE_OF[name]}"), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted(globals().keys() | _MODULE_OF.keys())
