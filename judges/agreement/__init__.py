"""How far a judge and the humans who reviewed it agree: correlations, kappas, and the outcome of every finding.

Nothing here reads a file or opens a screen. numpy is imported only where a figure is computed, and no module before it
is asked for: ``from judges.agreement.raters import krippendorff_alpha``.
"""

from __future__ import annotations

from collections.abc import Mapping

PUBLIC: Mapping[str, tuple[str, ...]] = {
    "correlation": ("pearson", "spearman", "kendall_tau_b", "kendall_tau_c", "within_groups"),
    "raters": ("observed_agreement", "weighted_kappa", "gwet_ac1", "krippendorff_alpha"),
    "scores": ("ScoreRow",),
    "pairwise": ("pairwise", "pairwise_by"),
    "pairs": ("count_pairs", "pair_scores", "calibrate"),
    "spa": ("soft_pairwise_accuracy",),
    "comparing": ("compare_metrics", "perm_both"),
    "systems": ("compare_systems",),
    "planning": ("plan", "plan_systems"),
    "spans": ("ErrorSpan", "span_match", "match_errors", "char_f1", "total"),
    "findings": ("finding_figures", "detection_by", "instruction_agreement"),
    "documents": ("compare",),
    "reviewers": ("between_humans", "within_reviewers"),
    "intervals": ("wilson", "Bootstrap"),
}
"""What people who compute figures of their own may rely on, by module."""
