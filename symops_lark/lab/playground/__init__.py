"""A page to try a dialect on: `symops playground` serves it to this machine alone.

The page reads a text with the exported JavaScript, asks this package for its result, and compares
both each time. `server` speaks HTTP and refuses other clients, `answers` has the questions that the
page may ask, and `page/` has the files for the browser.
"""
