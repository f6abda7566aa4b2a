"""A page to try a dialect on: `symops playground` serves it to this machine alone.

The page reads a text with the exported JavaScript and asks this package what it reads; that both say the same is
compared each time. `server` speaks HTTP and lets nobody else in, `answers` knows what the page may ask,
`page/` is what the browser gets.
"""
