"""Says why a figure is not drawn."""


class NoData(Exception):
    """A figure cannot be drawn from this run; the message says what is missing."""
