"""Instruments for people who design dialects: one file an instrument, each behind `symops grammar <its name>`.

They look at grammars and readings from outside; nothing that reads replies imports them.
"""
