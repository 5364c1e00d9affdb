"""What a mechanism means for the people in the data, and what to say about it.

    attacks           the success of any attack on one person
    calibration       the parameter that meets a target
    identifiability   posterior beliefs, advantage, reconstruction
    facts             the weakest mechanism that reported facts allow
    reporting         what to publish about a mechanism, and what that leaves open
    statements        the same in words, with what no computation knows

What is public is a name of `dptutor` itself.
"""
