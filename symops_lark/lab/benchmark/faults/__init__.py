"""The fault model: documents written as a model would write them, and what models get wrong in writing them.

Law: nothing here that writes or damages a text, but `dialects`, imports what reads it. The writer is our own second
reading of the formats, so that a mistake of the parser cannot hide behind the same mistake in its measure.
"""
