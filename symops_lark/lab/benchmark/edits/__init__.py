"""Compare the ways to change a part of a file: what each costs, and how its mistakes end.

A task is a real file in which one place was changed, and a reply must undo that change. Each arm
writes the same edit in its own notation. `symops bench edits` runs the tasks.
"""
