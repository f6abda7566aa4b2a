"""JSON answers: what readers make of damaged ones, right, refused, or wrong and accepted; what a small model gives."""
