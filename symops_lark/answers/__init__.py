"""Read other answers of models.

`structured` reads JSON by a schema, `judgment` status rules, and `conditions` evaluates facts.
"""
