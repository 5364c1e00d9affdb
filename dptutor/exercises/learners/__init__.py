"""What belongs to one learner.

    progress     the file with a learner's progress
    learner      a learner: that file, a case, and what the last reply named
    checking     judges an answer, notes the attempt and draws what is wrong
    handing_in   the same in a class, with a record for whoever marks

Modules have no state of their own.
"""
