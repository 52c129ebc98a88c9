"""Nouns in the forms of other systems: their field names, their keys, their values."""
