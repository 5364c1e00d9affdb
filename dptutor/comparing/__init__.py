"""Comparing two mechanisms.

    profile_order        which of two profiles is larger: witnesses, and proofs by convexity
    order_certificates   points that prove an order without the library
    ordering             dominance: proven, refuted with a witness, or undecided
    regret               the largest difference of two Bayes errors, with a bound on its error
    certificates         points that prove a bound on a Δ-divergence without the library
    blackwell            Δ-divergence, comparison
    garblings            garblings of finite experiments, by linear programming
    asymptotics          limits of long compositions, and the finite-step bound

What is public is a name of `dptutor` itself.
"""
