"""Questions with known answers, and what a model or a budget makes of them."""
