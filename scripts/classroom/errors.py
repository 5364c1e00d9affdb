"""What is wrong with what a teacher gave."""


class Refused(Exception):
    """Why nothing was done, in words."""
