"""Long simulations in chunks: seeded one by one, on any number of workers, stored as they finish, resumed where they stopped.

A chunk's generator depends on the seed, the configuration and the chunk's number alone, so neither the number of workers
nor an interruption changes a result. Chunks run through joblib, so another of its backends (a Dask or Ray cluster) serves by
`joblib.parallel_config(backend=...)` around the call.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput, MissingExtra

Columns = Mapping[str, NDArray[Any]]
Task = Callable[[np.random.Generator, int], Columns]
"""One chunk: from its generator and the number of repetitions to columns of that length."""
Progress = Callable[[int, int], None]

VERSION = (
    1  # a change in what is simulated under a configuration must raise it, or old chunks would be taken for new ones
)


def simulate(
    task: Task,
    repetitions: int,
    *,
    configuration: Mapping[str, Any],
    seed: int,
    chunk: int = 500,
    store: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    n_jobs: int | None = 1,
) -> dict[str, NDArray[Any]]:
    """Repeat a simulation, in chunks.

    Parameters
    ----------
    task : callable
        `task(rng, count)` returns columns of `count` values each. For more than one worker it must be picklable.
    repetitions : int
        At least 1.
    configuration : mapping
        All that decides the results, as plain data; it names the study in errors and in the store.
    seed : int
        The same seed gives the same columns, whatever the number of workers.
    chunk : int
        Repetitions of one chunk: at most these are lost by an interruption.
    store : path, optional
        A folder (made if absent) that keeps every finished chunk as Parquet, so that a later call with the same
        configuration, seed and chunk goes on (needs `discreet[arrow]`).
    progress : callable, optional
        Called with the repetitions done and in all.
    n_jobs : int or None
        Workers: -1 is all cores, None is what `joblib.parallel_config` says (needs `discreet[lab]` unless 1).

    Returns
    -------
    dict of str to array
        The columns, in the order of the repetitions.

    Raises
    ------
    InvalidInput
        The task failed or returned columns of a wrong length; the message names the configuration.

    Examples
    --------
    >>> columns = simulate(lambda rng, count: {"x": rng.normal(size=count)}, 1200, configuration={"law": "normal"}, seed=1)
    >>> columns["x"].shape
    (1200,)
    """
    for name, number in (("repetitions", repetitions), ("chunk", chunk)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise InvalidInput(f"{name} must be a whole number of at least 1, not {number!r}")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InvalidInput(f"seed must be a whole number of at least 0, not {seed!r}")
    text = json.dumps({"version": VERSION, "seed": seed, "chunk": chunk, **configuration}, sort_keys=True, default=str)
    digest = hashlib.sha256(text.encode()).hexdigest()
    folder = None if store is None else _folder(Path(store), digest, text)
    counts = [min(chunk, repetitions - start) for start in range(0, repetitions, chunk)]
    found: dict[int, Columns] = {}
    if folder is not None:
        found = {i: kept for i, count in enumerate(counts) if (kept := _read(_file(folder, i), count)) is not None}
    done = sum(counts[i] for i in found)
    missing = [i for i in range(len(counts)) if i not in found]
    if progress is not None and done:
        progress(done, repetitions)
    words = ", ".join(f"{name} = {value}" for name, value in configuration.items())
    for i, columns in _run(task, missing, counts, int(digest[:32], 16), words, n_jobs):
        found[i] = columns
        if folder is not None:
            _write(_file(folder, i), columns)
        done += counts[i]
        if progress is not None:
            progress(done, repetitions)
    return {name: np.concatenate([found[i][name] for i in range(len(counts))]) for name in found[0]}


def _run(
    task: Task, missing: list[int], counts: list[int], key: int, words: str, n_jobs: int | None
) -> Iterator[tuple[int, Columns]]:
    """The missing chunks, as many at a time as there are workers."""
    if n_jobs == 1:
        for i in missing:
            yield i, _chunk(task, i, counts[i], key, words)
        return
    try:
        from joblib import Parallel, delayed, effective_n_jobs
    except ImportError:
        raise MissingExtra("more than one worker needs joblib: pip install 'discreet[lab]'") from None
    at_once = max(1, effective_n_jobs(n_jobs))
    with Parallel(n_jobs=n_jobs) as parallel:
        for start in range(0, len(missing), at_once):
            batch = missing[start : start + at_once]
            yield from zip(batch, parallel(delayed(_chunk)(task, i, counts[i], key, words) for i in batch), strict=True)


def _chunk(task: Task, number: int, count: int, key: int, words: str) -> Columns:
    rng = np.random.default_rng([key, number])
    try:
        columns = {name: np.asarray(values) for name, values in task(rng, count).items()}
    except Exception as problem:
        raise InvalidInput(f"the study of {words} failed: {type(problem).__name__}: {problem}") from problem
    wrong = [name for name, values in columns.items() if values.shape[:1] != (count,)]
    if wrong or not columns:
        raise InvalidInput(f"the study of {words} returned a column {wrong} that does not have {count} values")
    return columns


def _folder(store: Path, digest: str, text: str) -> Path:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise MissingExtra("a store of results needs PyArrow: pip install 'discreet[arrow]'") from None
    folder = store / digest[:24]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "configuration.json").write_text(text + "\n")
    except OSError as problem:
        raise InvalidInput(f"cannot store results in {os.fspath(store)!r}: {problem.strerror}") from problem
    return folder


def _file(folder: Path, number: int) -> Path:
    return folder / f"chunk-{number:06d}.parquet"


def _read(file: Path, count: int) -> Columns | None:
    """A stored chunk; None where there is none, or where the file does not hold one (it is then simulated again)."""
    import pyarrow.lib
    import pyarrow.parquet

    if not file.is_file():
        return None
    try:
        table = pyarrow.parquet.read_table(file)
    except (pyarrow.lib.ArrowException, OSError):
        return None
    return {name: table[name].to_numpy() for name in table.column_names} if table.num_rows == count else None


def _write(file: Path, columns: Columns) -> None:
    """The file appears under its name only when it is complete."""
    import pyarrow
    import pyarrow.parquet

    temporary = file.with_name(f".{file.name}.{secrets.token_hex(6)}.part")
    try:
        pyarrow.parquet.write_table(pyarrow.table(dict(columns)), temporary)
        os.replace(temporary, file)
    finally:
        temporary.unlink(missing_ok=True)
