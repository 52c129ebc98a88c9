"""The generator of the reference pages: one module per page."""
