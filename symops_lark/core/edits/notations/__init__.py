"""Readers of notations for edits, a module each: a content becomes hunks.

A module has

- `KIND`, the name of the notation, and `RANK`: readers with a lower one are asked first;
- `read(content, path)`, which returns a `Reading`, or None if the content does not begin like the
  notation; it raises `Unreadable` if the content does, and breaks its grammar. A notation that is
  recognized by the file alone has `read_against(content, path, old)` instead, and is asked last.

Its examples are in `tests/core/edits/examples.yaml`, by its kind.
"""
