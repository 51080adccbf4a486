"""`discreet lab reliability`, `power`, `sample-size` and `testbed` from the shell."""

from __future__ import annotations

from pathlib import Path

import pytest

HALVES = ("independence", "--rows", "0.5,0.5", "--columns", "1/2,1/2")


def test_reliability_as_data_and_as_a_table(discreet) -> None:
    arguments = ("lab", "reliability", *HALVES, "--n", 400, "--epsilon", 0.2, "--repetitions", 600, "--seed", 3)
    data = discreet(*arguments, "--plot", "qq.svg", "--json").data()
    assert (data["command"], data["test"], data["n"], data["seed"]) == ("lab reliability", "independence", 400, 3)
    levels = {(row["method"], row["alpha"]): row for row in data["levels"]}
    assert levels["naive", 0.05]["low"] > 0.1
    assert levels["discreet", 0.05]["high"] < 0.1
    assert [row["method"] for row in data["uniformity"]] == ["discreet", "naive"]
    assert Path("qq.svg").read_text("utf-8").startswith("<?xml")
    shown = discreet(*arguments).done()
    assert "Reliability of p-values  independence 2 x 2, n = 400, the null" in shown
    assert "equal cells; PureDP(epsilon=0.2): Laplace(10); 600 tables, seed 3" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_the_same_numbers_with_workers_and_a_store(discreet) -> None:
    arguments = ("lab", "reliability", *HALVES, "--n", 400, "--mu", 0.2, "--repetitions", 600, "--json")
    alone = discreet(*arguments).data()
    assert discreet(*arguments, "--store", "kept").data() == alone
    assert list(Path("kept").rglob("chunk-*.parquet"))
    assert discreet(*arguments, "--store", "kept").data() == alone


def test_power_as_data_and_as_a_table(discreet) -> None:
    arguments = ("lab", "power", "homogeneity", "--theta", "0.2,0.3,0.5", "--samples", "1,2", "--effect", "0.15")
    arguments = (*arguments, "--n", "300,900", "--mu", "0.2,1", "--statistic", "projected", "--repetitions", 100)
    data = discreet(*arguments, "--plot", "power.png", "--json").data()
    assert (data["amount"], data["effect"], data["level"]) == ("mu", "Cramer's V", 0.05)
    assert {row["method"] for row in data["rows"]} == {"discreet, projected", "projected, by formula", "no privacy"}
    assert {(row["n"], row["amount"]) for row in data["rows"]} == {(300, 0.2), (300, 1.0), (900, 0.2), (900, 1.0)}
    assert Path("power.png").read_bytes().startswith(b"\x89PNG")
    shown = discreet(*arguments).done()
    assert "standard errors of at most 0.0" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_sample_size_by_formula_and_by_simulation(discreet) -> None:
    formula = ("lab", "sample-size", *HALVES, "--effect", 0.1, "--mu", 0.5, "--statistic", "projected")
    data = discreet(*formula, "--json").data()
    assert (data["value"], data["how"], data["vary"]) == (816, "noncentral formula", "n")
    assert "noncentral formula" in discreet(*formula).done()
    shown = discreet(
        *(
            "lab",
            "sample-size",
            "goodness-of-fit",
            "--theta",
            "0.5,0.5",
            "--effect",
            0.3,
            "--vary",
            "epsilon",
            "--n",
            300,
        ),
        *("--repetitions", 500, "--tolerance", 0.5),
    ).done()
    assert "goodness of fit 2, Cohen's w 0.3, n = 300" in shown
    assert "with 99% confidence" in shown


def test_the_testbed_reads_a_table_of_counts(discreet) -> None:
    Path("counts.csv").write_text("smoking,hard work,not\nno,493,387\nyes,421,540\n", "utf-8")
    Path("bare.csv").write_text("a,b\n493,387\n421,540\n", "utf-8")
    arguments = ("--statistic", "diff", "--epsilon", 0.2, "--perturb", "output", "--permutations", 500, "--repeats", 20)
    data = discreet("lab", "testbed", "counts.csv", *arguments, "--json").data()
    assert (data["shape"], data["n"], data["sensitivity"], data["perturb"]) == ([2, 2], 1841, 4.0, "output")
    assert data["mean_pvalue"] < 0.01
    assert "not a release" in data["note"]
    bare = discreet("lab", "testbed", "bare.csv", *arguments, "--json").data()
    assert bare["mean_pvalue"] == data["mean_pvalue"]
    shown = discreet("lab", "testbed", "counts.csv", *arguments).done()
    assert "Testbed: diff, output perturbed  2 x 2, n = 1,841" in shown
    assert "not a release" in shown
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("reliability", *HALVES, "--n", 100), 2, "give one of --epsilon, --mu and --rho"),
        (("reliability", "independence", "--n", 100, "--epsilon", 1), 2, "independence takes --rows and --columns"),
        (("reliability", "homogeneity", "--rows", "1", "--n", 100, "--epsilon", 1), 2, "homogeneity takes --theta"),
        (("reliability", *HALVES, "--n", 100, "--epsilon", 1, "--repetitions", 0), 1, "repetitions must be"),
        (("reliability", *HALVES, "--n", 100, "--epsilon", 1, "--methods", "magic"), 1, "a method is one of"),
        (("reliability", *HALVES, "--n", 100, "--epsilon", 1, "--workers", 0), 1, "--workers is a number"),
        (("power", *HALVES, "--n", 100, "--effect", 2, "--epsilon", 1), 1, "leaves the simplex: cell (0, 1)"),
        (("power", *HALVES, "--n", "1e3", "--effect", 0.1, "--epsilon", 1), 1, "--n must be whole numbers"),
        (("power", *HALVES, "--n", 100, "--effect", "big", "--epsilon", 1), 1, "--effect must be numbers"),
        (("power", *HALVES, "--n", 100, "--effect", 0.1), 2, "give one of --epsilon and --mu"),
        (
            ("sample-size", *HALVES, "--effect", 0.1, "--epsilon", 1, "--n", 5),
            2,
            "give --n where epsilon or mu is sought",
        ),
        (("sample-size", *HALVES, "--effect", 0, "--epsilon", 1), 1, "no effect to detect"),
        (("sample-size", *HALVES, "--effect", 0.1, "--vary", "mu", "--n", 5, "--mu", 1), 2, "no guarantee is given"),
        (("testbed", "nowhere.csv", "--epsilon", 1), 1, "there is no file 'nowhere.csv'"),
        (("testbed", "czech.csv", "--epsilon", 1), 1, "holds"),
    ],
)
def test_what_is_refused(discreet, arguments, status, message) -> None:
    assert message in discreet("lab", *arguments).refused(status)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "two or more rows"),
        ("a,b\n1,2\n3\n", "of the same length"),
        ("a,b\n1,2\n3,-4\n", "line 3 of 'bad.csv' holds '-4'"),
        ("1,2\n3,4\n5,6\n", "a header of labels, not counts"),
    ],
)
def test_tables_that_are_refused(discreet, text, message) -> None:
    Path("bad.csv").write_text(text, "utf-8")
    assert message in discreet("lab", "testbed", "bad.csv", "--epsilon", 1).refused()
