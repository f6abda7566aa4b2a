"""What a model says of itself: manifest, supply chain, card."""
