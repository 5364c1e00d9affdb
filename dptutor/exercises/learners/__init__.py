"""What belongs to one learner.

    progress     the file with what was done
    learner      a learner: that file, a case, and what the last reply named
    checking     an answer judged, noted and drawn
    handing_in   the same in a class, with a record for whoever marks

Modules keep nothing.
"""
