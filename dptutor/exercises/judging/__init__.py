"""Judging an answer: what is right, which mistake it looks like, and what is replied.

    numerals    numbers as people type them
    sending     functions as bytes, for another process
    calling     a function called case by case, in this process
    worker      the same in a process of its own
    slips       slips that people make everywhere
    arguments   slips with the arguments of a function
    drawing     a wrong function over the right one
    results     what a learner is told
    matching    results beside the right ones, and what is said where they differ
    judge       an answer called, and its results compared
    core        an exercise: what is asked, what is right, numbers of one's own
    questions   those that a page judges by itself

Nothing here knows which exercises there are, or who answers.
"""
