"""The Model Context Protocol: what an assistant may ask the desk. Nothing can be changed this way."""
