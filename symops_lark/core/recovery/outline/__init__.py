"""Group the lines of a reading to sections, and read what their heads and blocks hold.

`groups` holds the parts of a reading, grouped to sections, `outline` the reading and what groups
its parts. `group_passes` lists the functions of `suspects`, which
mark the groups that are probably not what the model meant. `heads` parses the first lines of
actions. `known_blocks` saves time on contents that are certain, `held_sections` reads a text again
if a content seems to hold other sections.
"""

from typing import Any

_FORMER = ("Group", "Outline", "Part", "group_parts", "make_part")


def __getattr__(name: str) -> Any:
    """Return a name of the module `outline`, which was this folder's module before."""
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ...former_names import give_former

    return give_former(f"{__name__}.outline", name)
