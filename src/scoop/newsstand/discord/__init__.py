"""Parts of the fake Discord: state, limits, errors, and how a message is shown."""
