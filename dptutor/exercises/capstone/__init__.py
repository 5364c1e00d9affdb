"""The capstone: cases, and the reports on them.

    cases     a case for every student, made from its number
    grading   points for a report, line by line
    report    what a report on a case should say

Its exercises are chapter 20.
"""
