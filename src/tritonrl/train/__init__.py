"""Training: recipes, and what runs them."""
