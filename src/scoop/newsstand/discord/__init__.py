"""What the face of Discord is made of: its state, its limits, its refusals, and how it shows a message."""
