"""`symops export`: a parser of a dialect for another runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ....core.ground.numbers import counted
from ..options import rules_option, together
from ..progress import show_progress
from ..texts import complain


class _ListedExports(click.Command):
    """A command whose help lists the exports; they are loaded only for the help."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the exports, each with its summary, then the options."""
        from ....exports import load_exports

        rows = []
        for name, module in load_exports().items():
            rows.append((name + "*" * module.TOLERANT, module.SUMMARY))
        with formatter.section("Exports (with * also --tolerant)"):
            formatter.write_dl(rows)
        super().format_options(ctx, formatter)


# What a decoder may write: these make the exported grammar narrower than the dialect.
_decoder_options = together(
    click.option(
        "--well-formed",
        is_flag=True,
        help="Allow a decoder only known verbs, with their blocks, and vitals from 0 to 1.",
    ),
    click.option(
        "--path",
        "paths",
        multiple=True,
        metavar="PATH",
        help="Allow only these paths; needs --well-formed.",
    ),
    click.option(
        "--lead-in",
        is_flag=True,
        help="Allow lines without a mark before the first section; needs --well-formed.",
    ),
)


@click.command("export", cls=_ListedExports)
@click.argument("name")
@click.option(
    "--format",
    "format",
    default="v2",
    metavar="DIALECT",
    help="The dialect: its name or a .lark file.",
)
@click.option("--tolerant", is_flag=True, help="Export a parser that also repairs and recovers.")
@rules_option
@click.option(
    "--allow-re",
    is_flag=True,
    help="Accept custom rules although their patterns lose RE2's guarantee of linear time.",
)
@_decoder_options
@click.option(
    "--name", "package_name", default="", metavar="NAME", help="The name of an npm package."
)
@click.option("--version", default="", metavar="VERSION", help="The version of an npm package.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="The folder for the exported files.",
)
@click.option("--force", is_flag=True, help="Overwrite existing files.")
def command(
    name: str, format: str, rules: tuple[str, ...], output: Path, force: bool, **options: Any
) -> int:
    """Export a parser, grammar or highlighter of a dialect.

    \f

    Args:
        name: The name of the export.
        format: The dialect.
        rules: Folders with custom repair rules.
        output: The folder to write to.
        force: Whether existing files are overwritten.
        options: The other arguments of `exports.export`.

    Raises:
        UsageError: Patterns are allowed, and there are no custom rules.
    """
    from ....exports import export

    # Only the patterns of custom rules are checked, so there is nothing to accept.
    if options["allow_re"] and not rules:
        raise click.UsageError("--allow-re is for patterns of custom rules: name them (--rules)")
    with show_progress(f"exporting {name}"):
        files = export(name, format, rules=rules, **options)
    if rules:
        # The checks of patterns are slow to import.
        from ....core.grammar.loading import load_grammar
        from ....exports.own_rules import find_traps

        for trap in find_traps(load_grammar(format), rules):
            complain(trap)
    # All paths are checked first, so that a refusal leaves nothing half written.
    existing = [path for path in files if (output / path).exists()]
    if existing and not force:
        first = output / existing[0]
        raise click.ClickException(f"{first} already exists (use --force to overwrite)")
    for path, text in files.items():
        target = output / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
        click.echo(f"wrote {target} ({counted(len(text.encode()), 'byte')})")
    return 0
