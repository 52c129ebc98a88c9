"""The part of the Google Reader API that apps use: collections and topics are feeds, stories are items."""
