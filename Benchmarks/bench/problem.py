"""An error that ends a run with one sentence instead of a traceback."""


class Problem(Exception):
    """A tool is missing, or a side did not do what it was measured for."""
