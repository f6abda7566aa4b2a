"""From grammar files to the tables of a dialect; imports Lark, and is not loaded where tables are cached."""
