"""Classify the lines of a broken reply: from text to kinds of lines.

Purpose
    Recovery does not parse characters. It gives each line of a reply a *kind* (`kinds.Kind`),
    and `engines` then parses the sequence of kinds. A reply of 170 lines is a sentence of at most
    170 terminals, so the parse takes microseconds a line, and a misspelled line costs only the
    rules that are tried on this line.

    A kind says what a line could be: exactly a closing delimiter, nearly one, or plain text. What
    the line really is (a delimiter, or a line of the file that the reply writes) depends on the
    whole reply, so only the engine decides it.

Theory of operation
    text -- LineLexer.read_each --> one kind for each line alone
         -- passes.run_passes   --> kinds that also agree with the neighbors; some lines joined
         -- prose.merge_runs    --> runs of plain text joined to one line
         -- engines             --> a role for each line (`outline`)

    1. *Exact kinds* come from the strict grammar: one pattern matches each rule of one line.
    2. *Near misses* come from the repair rules, through a `LineRepairer` (`spelling`): a line is
       nearly an action if some rule rewrites it to a line that is exactly one. So recovery and
       repair agree on what counts as a misspelling: there is one list of it.
    3. *Passes* look at neighbors. Each handles one habit of models and names it in a table in its
       docstring. In this order:

       own-sections      a custom section and the lines that belong to it become one line
       open-reasoning    an opening tag that nothing closes is a heading over thoughts
       tagged-heads      lines with a verb, a path and dependencies become the lines of one action
       broken-heads      an action line that was broken in two becomes one line
       attribute-lines   an action line and the attributes below it become one line
       tags              `<code>` … `</code>` below an action line become delimiters
       fences            delimiters of another length inside a fence become text
       whole-blocks      lines between two delimiters that are certain become text
       drawings          the middle of a long run of delimiters becomes text
       long-fences       Markdown fences inside a longer Markdown fence become text

    The order matters. Heads are joined first, because the passes after them ask whether a
    delimiter follows an action line. Blocks are protected before drawings and long fences, because
    a drawing inside a block that is certain is content and needs no further look.

    A worked example in the dialect v2 (`symops grammar trace --passes` prints one for any text):

        line         alone        broken-heads   whole-blocks   role in the end
        Sure:        TEXT         TEXT           TEXT           drop (prose, 2,200)
        ::create     STUB         NEAR_ACTION    NEAR_ACTION    head (near-action, 800)
          @a.py      TEXT         (joined)       (joined)
        <<<          OPEN         OPEN           OPEN           open
        ::run @ls    COMMAND      COMMAND        TEXT           body
        >>           NEAR_DELIM   NEAR_DELIM     TEXT           body
        >>>          CLOSE        CLOSE          CLOSE          close

Invariants
    1. The lines cover the text: no character is lost, whatever passes run
       (`test_passes::test_a_pass_runs_in_some_dialect_and_keeps_the_text`).
    2. After the passes each kind is a terminal of every recovery grammar
       (`test_automaton::test_every_kind_that_the_lines_can_have_is_known`).
    3. A pass does what the tables in its docstring show, and a pass that does nothing fails its
       proof (`tests/test_registries.py`).
    4. The time is linear in the text (`tests/test_pathological.py`). A pass may look ahead only to
       the next line that is not blank, or to a position that it has precomputed.

Not here
    Which rules rewrite a line: `core/repairs`. Roles and prices: `engines` and the recovery
    grammars in `grammars/`. The action that a head names: `outline/heads`.

Known weaknesses
    A line gets one kind, the first that fits in the order of `roles.NEAR_ROLES`. A line that is
    nearly a thought and nearly a delimiter is therefore never considered as the second.
"""
