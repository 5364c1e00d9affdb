"""The exercises, a file for each chapter: a list `EXERCISES` of pages (see `judging.core.Exercise`)."""
