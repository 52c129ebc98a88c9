"""Evaluation of stories against gold labels, and replays of the ledger, in scratch databases."""
