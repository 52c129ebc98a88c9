"""Renderings of a digest, one file for each format; `common.py` holds their shared phrases."""
