"""Write documents as text in any dialect that can express them."""
