"""What every door on HTTP shares: who asks, what they may, how they are answered."""
