"""The fault model: documents written as a model would write them, and what models get wrong in writing them.

Law: nothing here but `dialects` imports the rest of the package. The writer is our own second reading of the formats,
so that a mistake of the parser cannot hide behind the same mistake in its measure.
"""
