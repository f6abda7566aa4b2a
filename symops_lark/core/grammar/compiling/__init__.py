"""From grammar files to the tables of a dialect, by Lark.

Only `compiler`, `gathering` and `bounds` are imported if the tables are in the user's cache.

    gathering, statements     the files of a grammar, joined to one text
    lark_insides, bounds      what Lark reads from it, within bounds
    dialect_tables            the tables, made from this
    section_compiler          … patterns of sections, with `blocks`, `regular`
    own_sections, rule_trees  … custom sections and how they are written
    kept_parts, ambiguity     checks: nothing is lost, no text takes too long
    lark_errors               errors with their places in the files
"""
