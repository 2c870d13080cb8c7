"""The answer where a suspect cannot be kept away from the machine."""


class Refused(Exception):
    """Nothing was started; the text is one sentence for a person, with the way out in it."""
