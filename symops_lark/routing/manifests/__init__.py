"""Read what a model declares about itself: its manifest, its supply chain, its card."""
