"""Parsers: the grammar of sentences, for rules that rewrite them."""
