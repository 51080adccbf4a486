"""`discreet estimate`: better numbers out of a release. Reads release files only, no records and no ledger; spends nothing."""

from __future__ import annotations

import typer

from discreet.cli.estimate import cells, density, rows

group = typer.Typer(
    no_args_is_help=True,
    help="Better numbers out of a release: estimates, quantiles, bands, synthetic records. Spends nothing.",
    short_help="Better numbers out of a release; spends nothing.",
)

for name, module, command in (
    ("james-stein", cells, cells.james_stein),
    ("simplex", cells, cells.simplex),
    ("density", density, density.density),
    ("quantile", density, density.quantile),
    ("cdf-band", density, density.cdf_band),
    ("synthesize", rows, rows.synthesize),
):
    group.command(name, epilog=module.EXAMPLES[name])(command)
