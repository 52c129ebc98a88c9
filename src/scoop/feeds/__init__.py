"""What others take away: feeds, exports, lists of sources."""
