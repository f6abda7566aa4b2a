"""`symops export`: a parser of a dialect for another runtime."""

from __future__ import annotations

from pathlib import Path

import click

from ....core.ground.numbers import counted
from ..options import rules_option
from ..progress import show_progress
from ..texts import complain


class _ListedExports(click.Command):
    """A command whose help lists the exports; they are loaded for that alone."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the exports, each with what it is, then the options."""
        from ....exports import load_exports

        with formatter.section("Exports (with * also --tolerant)"):
            exports = load_exports().items()
            formatter.write_dl([(name + "*" * each.TOLERANT, each.SUMMARY) for name, each in exports])
        super().format_options(ctx, formatter)


@click.command("export", cls=_ListedExports)
@click.argument("name")
@click.option("--format", "format", default="v2", metavar="DIALECT", help="The dialect: its name or a .lark file.")
@click.option("--tolerant", is_flag=True, help="Export a parser that also repairs and recovers.")
@rules_option
@click.option(
    "--allow-re", is_flag=True, help="Accept custom rules although their patterns lose RE2's guarantee of linear time."
)
@click.option(
    "--well-formed", is_flag=True, help="Allow a decoder only known verbs, with their blocks, and vitals from 0 to 1."
)
@click.option("--path", "paths", multiple=True, metavar="PATH", help="Allow only these paths; needs --well-formed.")
@click.option(
    "--lead-in", is_flag=True, help="Allow lines without a mark before the first section; needs --well-formed."
)
@click.option("--name", "package_name", default="", metavar="NAME", help="The name of an npm package.")
@click.option("--version", default="", metavar="VERSION", help="The version of an npm package.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="The folder for the exported files."
)
@click.option("--force", is_flag=True, help="Overwrite existing files.")
def command(
    name: str,
    format: str,
    tolerant: bool,
    rules: tuple[str, ...],
    allow_re: bool,
    well_formed: bool,
    paths: tuple[str, ...],
    lead_in: bool,
    package_name: str,
    version: str,
    output: Path,
    force: bool,
) -> int:
    """Export a parser, grammar or highlighter of a dialect."""
    from ....exports import export, find_losses

    with show_progress(f"exporting {name}"):
        files = export(
            name,
            format,
            tolerant=tolerant,
            rules=rules,
            allow_re=allow_re,
            well_formed=well_formed,
            paths=paths,
            lead_in=lead_in,
            package_name=package_name,
            version=version,
        )
    for loss in find_losses(name, format, rules=rules):
        complain(loss)
    taken = [path for path in files if (output / path).exists()]
    if taken and not force:
        raise click.ClickException(f"{output / taken[0]} is there already; --force writes over it")
    for path, text in files.items():
        target = output / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
        click.echo(f"wrote {target} ({counted(len(text.encode()), 'byte')})")
    return 0
