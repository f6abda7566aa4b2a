"""Commands that ask models or read their other answers: ask, extract, judge, prompt."""
