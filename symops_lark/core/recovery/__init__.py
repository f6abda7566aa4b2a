"""Recover: read any text as the reply that it most probably was.

Purpose
    The strict parser accepts only what the grammar of a dialect allows. Models write replies that
    are nearly valid. Recovery reads every text, and reports each deviation that it assumes as a
    *mistake* with a code and a price. Of all ways to read the text, it chooses the one with the
    lowest sum of prices, the minimum-cost parse.

Theory of operation
    *Kinds of lines.* Recovery parses lines, not characters. Markup of all dialects is one line at a
    time, so a line can be judged alone: it is exactly an action line, nearly one, or plain text
    (`lines/kinds`). Whether it is markup or a line of a file that the reply writes depends on the
    whole reply. So the kind is only what a line could be, and the parse decides what it is, its
    *role*. This separates two questions: which characters a model confuses (`core/repairs` knows),
    and which lines it forgets or adds (the recovery grammars know).

    *Prices.* A recovery grammar accepts every sequence of kinds. Each rule with a price is a
    mistake, and its name is the code of a diagnostic. Prices are ordered by scale: mistakes cost
    thousands, near misses hundreds, preferences between equal readings less than a hundred. So
    a few preferences never outweigh a mistake. Prices are not probabilities: the authors set them,
    and the corpus (`tests/corpus`) shows how texts are read at these prices.

    *Why not repair line by line?* Because the right repair depends on lines that follow. In

        line                 kind         role    mistake, at its price
        Sure:                TEXT         drop    stray-text 4000
                             BLANK        blank
        ::create a.py        NEAR_ACTION  head    near-action 800
        <<<                  OPEN         open
        ::run @ls            COMMAND      body    command-in-content 600
        >>                   NEAR_DELIM   close   near-closer 800
        ::edit @b.py         ACTION       head
        <<<                  OPEN         open
        y = 2                TEXT         body
        ::run @pytest -q     COMMAND      head    missing-closer 7000, before this line

    `::run @ls` is content, because a closer follows: as an action it would cost 6,800 more. The
    same kind of line at the end is an action, because nothing closes the block: as content it would
    cost 600 more, for the closer is then missing at the end. `symops grammar trace v2 FILE` prints
    this table, and the readings that lost, for any text.

    *Passes.* A text goes through these steps, in this order. Each table of passes is a literal
    whose rows show in their docstrings what they change; the tests run these examples.

        recovery.recover      1. the strict parser; 2. the passes below
        reading.PASSES        known-blocks, lines, prose-runs, carried-lines, engine,
                              held-sections, drafts
            lines             runs `lines.passes.PASSES`: own-sections … long-fences
            engine            the minimum-cost parse (`engines`): a role for each line
            held-sections     read again: a content may hold sections of another notation
            drafts            read again: actions of the thinking are not actions
        Outline.groups        lines with roles become sections (`outline`), then
                              `outline.group_passes.PASSES`: orphans, unlike, shifted, lacking
        recovery              sections become nodes of a document; `doubts/lost_actions` reports
                              text that looks like an action and became none

    A *doubt* is different from a mistake: each line is read correctly, but the result is probably
    not what the model meant. Then the action is marked as suspect.

    `detection` reads a text in several dialects and returns the one in which it costs least;
    `fuller` prefers one that reads the same actions and more. `left_heads` reports action lines of
    another dialect in what was left out.

Invariants
    1. No text makes it raise, and no text is lost: what is not in a section is in a skipped one,
       under a diagnostic (`tests/test_laws.py`, `tests/test_findings.py`).
    2. A valid text gives the document of the strict parser, at price 0 (`tests/test_laws.py`).
    3. Every text has a reading: the recovery grammars accept every sequence of kinds
       (`tests/core/recovery/test_automaton.py`).
    4. The price is the minimum; an exhaustive search finds the same one (in the same file).
    5. Time is linear in the text (`tests/test_pathological.py`).
    6. Each pass changes what its table shows, and one that does nothing fails its proof
       (`tests/test_registries.py`).

Not here
    The misspellings of one line: `core/repairs`, which recovery knows only by the protocol
    `lines/spelling.LineRepairer`. Which phase a result comes from: `core/pipeline`. The sentences
    and prices of mistakes: `grammars/*_recovery.lark`.

References
    A. V. Aho and T. G. Peterson, A minimum distance error-correcting parser for context-free
    languages, SIAM Journal on Computing 1 (1972), https://doi.org/10.1137/0201022
    `engines/automaton` names those of the algorithm.

Known weaknesses
    A line has one kind. Text that is nearly two kinds of markup is never considered as the second.
    Prices do not depend on how often a model makes a mistake.
"""
