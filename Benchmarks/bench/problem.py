"""What ends a run with one sentence instead of a traceback."""


class Problem(Exception):
    """Something is missing, or a side did not do what it was measured for."""
