"""What exports cost, and whether they agree, in numbers: each module here that has a `main` is a part."""
