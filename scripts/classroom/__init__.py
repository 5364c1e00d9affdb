"""A class: its notebooks, what it hands in, its marks, and an examination.

**A hand-in carries values.** The checks of a student's notebook write down what they judged: numbers, and functions as
the values that they took at the points asked for (`dptutor.exercises.learners.handing_in`). Marks come from these
values: the marker computes what is right and compares. It reads JSON, never pickles, and runs nothing that was handed
in.

**Points and numbers follow from a secret.** A course has one, in `secret.txt`. A student's code is made from it and
the student's id, and stands in that student's notebooks only. Own numbers, random points, the case of the capstone and
the examination follow from it; a record shows of whose code it is.

**A copy is named.** A notebook that carries the mark or the code of another student is listed in `copied.csv`. In it
only what its checks recorded in the student's own name counts.

**Code runs only where values are missing**, as when outputs were cleared, and never that of a copy. It then runs
in `bubblewrap`: no network, no home, a library that cannot be written to, limits on time, memory and processes, and
everything that was started ends with it. What comes out is JSON of values again, which this side judges. Where a system
has no such isolation, nothing is run, and the notebook is named.

**What a hostile student can do:** hand in the right values however they were obtained, from the library's own worked
answers, say; a mark shows that, and no more. Let a run last until its limit. **Cannot:** run anything as the teacher,
read or change a file of the course, reach the network, change a check, a reply or another's mark, hold up the class
beyond the limit of one notebook, put a formula into a table, or choose the name of a file.
"""
