"""Shared parts of all HTTP interfaces: authentication, permissions, rate limits, responses and errors."""
