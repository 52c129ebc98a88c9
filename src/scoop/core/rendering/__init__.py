"""A digest as its readers see it, one file for each form; `words.py` says what all of them say."""
