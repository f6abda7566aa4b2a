"""The folder that is worked in: paths, reading, writing without following links."""
