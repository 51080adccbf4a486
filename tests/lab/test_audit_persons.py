"""The audit of tables of persons: quiet where all is well, and sure to find what is planted between records and noise.

In six trial runs of each fault the certified bound was above the claim by at least 0.94 (a standard deviation: 0.15 or less
for Laplace noise, 0.3 or less for Gaussian, whose bounds were above by 1.5 and more).
"""

from __future__ import annotations

import pytest

from discreet import GaussianDP, PureDP
from discreet.curator.source import tables as duckdb_tables
from discreet.lab.audit import audit_table, table_mechanism
from discreet.mechanisms import Gaussian, Laplace, gaussian, laplace
from discreet.privacy.sensitivity import table as table_sensitivity

CLAIMS = [(PureDP(1.5), Laplace(), laplace), (GaussianDP(1.5), Gaussian(), gaussian)]


def one_record(adjacency="replace-one", *, fixed=None, records=1):
    return table_sensitivity(adjacency, fixed=fixed)


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
@pytest.mark.parametrize(("guarantee", "specification", "_"), CLAIMS, ids=["pure", "gdp"])
def test_sound_mechanisms_pass(guarantee, specification, _, adjacency):
    found = audit_table(guarantee, specification, adjacency=adjacency, max_records=5)
    assert found.sound, (list(map(str, found.certificates)), found.noise)
    assert found.mechanism.sensitivity == table_sensitivity(adjacency, records=5)
    assert found.certificates[0].lower_bound > 0


@pytest.mark.parametrize(("guarantee", "specification", "module"), CLAIMS, ids=["pure", "gdp"])
def test_noise_for_one_record_is_found(guarantee, specification, module, monkeypatch):
    monkeypatch.setattr(module, "table_sensitivity", one_record)
    found = audit_table(guarantee, specification, max_n=1000, max_records=5)
    assert found.certificates[0].violated


@pytest.mark.parametrize(("guarantee", "specification", "module"), CLAIMS, ids=["pure", "gdp"])
def test_records_that_are_not_bounded_are_found(guarantee, specification, module, monkeypatch):
    """The person who is replaced has four times as many records as count."""
    whole = duckdb_tables.persons_sql
    monkeypatch.setattr(
        duckdb_tables, "persons_sql", lambda coded, unit, columns, most: whole(coded, unit, columns, 10**6)
    )
    found = audit_table(guarantee, specification, max_n=3000, max_records=5)
    assert found.certificates[0].violated


def test_the_counts_are_those_of_the_schema():
    release = table_mechanism(PureDP(1), cells=3, records=60, max_records=5)
    assert release([20, 30, 5]).shape == (3,)  # n is not public: any total will do
