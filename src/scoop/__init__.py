"""Scoop: a self-hosted news desk."""

__version__ = "0.1.0"
