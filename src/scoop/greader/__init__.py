"""The Google Reader API, as far as apps use it: collections and topics are feeds, stories are items."""
