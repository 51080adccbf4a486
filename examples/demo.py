"""The main job on real data: from a file of records to a p-value that is valid under the noise.

Run it with `make demo`. Everything it writes goes to the folder demo-output, which it makes anew. The noise is drawn
afresh each time (there is no seed for protective noise), so the numbers differ from run to run.
"""

from pathlib import Path
from shutil import rmtree

from discreet import Curator, Ledger, PureDP, Schema, independence, load

HERE = Path(__file__).parent
OUTPUT = Path("demo-output")


def step(title: str) -> None:
    print(f"\n\033[1m{title}\033[0m")


def curator_side() -> Path:
    """What only the curator does: she has the records and the budget."""
    schema = Schema.from_toml(HERE / "czech.toml")
    step("1. The curator declares what is public: columns and categories, never learnt from the data")
    print(schema)

    step("2. A durable privacy budget, created once")
    ledger = Ledger.create(OUTPUT / "czech.ledger", PureDP(2))
    print(ledger)

    with Curator(HERE / "czech.csv", schema, ledger=ledger) as curator:
        step("3. Do the records match the schema? (confidential; spends nothing)")
        print(curator.check())

        step(
            f"4. What would the table cost, and how accurate would it be? (n = {curator.n:,} is public; spends nothing)"
        )
        print(curator.price("table", ["smoking", "systolic"], PureDP(0.5)))

        step("5. Release it: the budget is charged first, then the records are read, then noise is added")
        table = curator.table(["smoking", "systolic"], PureDP(0.5))
        print(table)
        print(table.to_frame("pandas").round(1).to_string(index=False))
        table.save(OUTPUT / "smoking_systolic.json")
        print(f"remaining budget: epsilon = {ledger.remaining} of {ledger.budget.epsilon}")
    return OUTPUT / "smoking_systolic.json"


def analyst_side(release: Path) -> None:
    """What anyone can do with the released file: no records, no budget."""
    step("6. The analyst has only the file. Are smoking and blood pressure independent?")
    table = load(release)
    result = independence(table)
    print(result.summary())

    step("7. Pictures")
    for name, figure in {"table.png": table.plot(), "null.png": result.plot()}.items():
        figure.savefig(OUTPUT / name, dpi=150)
        print(f"{OUTPUT / name}")


if __name__ == "__main__":
    rmtree(OUTPUT, ignore_errors=True)
    OUTPUT.mkdir()
    analyst_side(curator_side())
    step("8. The budget as the ledger remembers it")
    ledger = Ledger(OUTPUT / "czech.ledger")
    for entry in ledger.entries():
        print(f"charge {entry.seq}: {entry.cost} ({entry.state.lower()})")
    print(f"remaining: epsilon = {ledger.remaining}")
