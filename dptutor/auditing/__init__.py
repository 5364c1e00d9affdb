"""Audits of private training: what an adversary finds out about one example, and what that implies for the claimed ε.

`Training` describes DP-SGD on a small network. `experiment` repeats it on one of two `Neighbors` while the adversary of
differential identifiability watches. `identify` and `infer_membership` return the guesses of adversaries;
`epsilon_from_sensitivities`, `epsilon_from_beliefs` and `epsilon_from_advantage` estimate ε, and `audit`
decides whether the claim is refuted. Training that ran elsewhere is audited from its `Transcript`. `judge_anytime` may
be asked after every guess; `epsilon_from_one_run` and `judge_one_run` need a single training run with many canaries.
"""

from .adversaries import Guesses, find_repeated_noise, identify, infer_membership, membership_advantage_bound
from .broken import FIRST_STEP_ONLY, FLAWS, HALF_THE_NOISE, NO_CLIPPING, SAME_NOISE, SOUND, Flaw
from .classifier import Classifier
from .convolutions import ConvolutionalNetwork
from .evidence import (
    Estimate,
    clopper_pearson,
    epsilon_from_advantage,
    epsilon_from_beliefs,
    epsilon_from_sensitivities,
    quantile_interval,
)
from .experiments import Experiment, experiment, text_bar
from .gradients import GradientRows, PerExample
from .models import Network
from .neighbors import DISSIMILARITIES, Neighbors, dissimilarity, find_neighbors
from .noise import gaussian_epsilon, gaussian_mu
from .one_run import epsilon_from_one_run, epsilon_from_rates, epsilon_from_scores, judge_one_run, one_run_p_value
from .sequential import evidence_by_betting, judge_anytime
from .training import Training
from .transcripts import Transcript, audit_transcript, record
from .verdicts import Verdict, audit, judge, most_wins, repetitions_to_catch

__all__ = [
    "DISSIMILARITIES",
    "FIRST_STEP_ONLY",
    "FLAWS",
    "HALF_THE_NOISE",
    "NO_CLIPPING",
    "SAME_NOISE",
    "SOUND",
    "Classifier",
    "ConvolutionalNetwork",
    "Estimate",
    "Experiment",
    "Flaw",
    "GradientRows",
    "Guesses",
    "Neighbors",
    "Network",
    "PerExample",
    "Training",
    "Transcript",
    "Verdict",
    "audit",
    "audit_transcript",
    "clopper_pearson",
    "dissimilarity",
    "epsilon_from_advantage",
    "epsilon_from_beliefs",
    "epsilon_from_one_run",
    "epsilon_from_rates",
    "epsilon_from_scores",
    "epsilon_from_sensitivities",
    "evidence_by_betting",
    "experiment",
    "find_neighbors",
    "find_repeated_noise",
    "gaussian_epsilon",
    "gaussian_mu",
    "identify",
    "infer_membership",
    "judge",
    "judge_anytime",
    "judge_one_run",
    "membership_advantage_bound",
    "most_wins",
    "one_run_p_value",
    "quantile_interval",
    "record",
    "repetitions_to_catch",
    "text_bar",
]
