"""The fault model: documents as a model would write them, and the mistakes of models.

Invariant: no module that writes or damages a text imports one that reads it; only `dialects` does.
The writer is a second, separate implementation of the formats, so that a mistake of the parser
cannot hide in its own measure.
"""
