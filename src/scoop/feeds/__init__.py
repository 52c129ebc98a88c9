"""Feeds, exports and OPML over HTTP."""
