"""What the terminal shows of one thing: a comparison, a review, an agreement, a check."""
