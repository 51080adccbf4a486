"""`discreet estimate`: better numbers out of a release. Reads release files only, no records and no ledger; spends nothing."""

from __future__ import annotations

import typer

from discreet.cli import estimate_cells, estimate_density, estimate_rows

group = typer.Typer(
    no_args_is_help=True,
    help="Better numbers out of a release: estimates, quantiles, bands, synthetic records. Spends nothing.",
    short_help="Better numbers out of a release; spends nothing.",
)

for name, module, command in (
    ("james-stein", estimate_cells, estimate_cells.james_stein),
    ("simplex", estimate_cells, estimate_cells.simplex),
    ("density", estimate_density, estimate_density.density),
    ("quantile", estimate_density, estimate_density.quantile),
    ("cdf-band", estimate_density, estimate_density.cdf_band),
    ("synthesize", estimate_rows, estimate_rows.synthesize),
):
    group.command(name, epilog=module.EXAMPLES[name])(command)
