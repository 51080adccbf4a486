"""`discreet lab`: studies of methods. They need no records, no ledger and none of the curator's dependencies."""

from __future__ import annotations

import typer

from discreet.cli.lab import audit, cost, power, reliability, reproduce, sample_size, testbed

group = typer.Typer(
    no_args_is_help=True,
    help="Studies of methods: what they cost and how they perform. Needs no records and spends nothing.",
    short_help="Studies: what methods cost, how they perform.",
)

group.command("cost", epilog=cost.EXAMPLE)(cost.cost)
group.command("audit", epilog=audit.EXAMPLE)(audit.audit)
group.command("reliability", epilog=reliability.EXAMPLE)(reliability.reliability)
group.command("power", epilog=power.EXAMPLE)(power.power)
group.command("sample-size", epilog=sample_size.EXAMPLE)(sample_size.sample_size)
group.command("testbed", epilog=testbed.EXAMPLE)(testbed.run_testbed)
group.command("reproduce", epilog=reproduce.EXAMPLE)(reproduce.reproduce)
