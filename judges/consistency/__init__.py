"""How far a judge and the humans who reviewed it agree: correlations, kappas, and the outcome of every finding.

Nothing here reads a file or opens a screen. numpy is imported only where a figure is computed, and no module before it
is asked for: ``from judges.stats.kappa import krippendorff_alpha``.
"""

from __future__ import annotations

from collections.abc import Mapping

PUBLIC: Mapping[str, tuple[str, ...]] = {
    "stats.correlation": ("pearson", "spearman", "kendall_tau_b", "kendall_tau_c", "within_groups"),
    "stats.kappa": ("observed_agreement", "weighted_kappa", "gwet_ac1", "krippendorff_alpha"),
    "meta_eval.score_table": ("ScoreRow",),
    "meta_eval.pairwise": ("pairwise", "pairwise_by"),
    "meta_eval.pair_counts": ("count_pairs", "pair_scores", "calibrate"),
    "meta_eval.soft_pairwise": ("soft_pairwise_accuracy",),
    "meta_eval.metric_tests": ("compare_metrics", "perm_both"),
    "meta_eval.system_tests": ("compare_systems",),
    "meta_eval.sample_size": ("plan", "plan_systems"),
    "consistency.spans": ("ErrorSpan", "span_match", "match_errors", "char_f1", "total"),
    "consistency.findings": ("finding_figures", "detection_by", "instruction_agreement"),
    "consistency.documents": ("compare",),
    "consistency.inter_annotator": ("between_humans", "within_reviewers"),
    "stats.intervals": ("wilson", "Bootstrap"),
}
"""What people who compute figures of their own may rely on, by module."""
