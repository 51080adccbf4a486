"""What stands in for the noise during a replay: it writes down every call of the gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


class Recorder:
    """Writes down every call of the gate and answers with numbers of the right kind that do not depend on the records."""

    def __init__(self) -> None:
        self.calls: list[tuple[dict[str, Any], list[int]]] = []
        self._rng = np.random.default_rng(20190401)  # no noise for anyone: both runs must be answered alike

    def draw_noise(self, exact: Sequence[int], exponent: int, public: Mapping[str, Any]) -> list[int]:
        self.calls.append(({"kind": public["family"], **public, "exponent": exponent, "cells": len(exact)}, [*exact]))
        centre = public["cap"] * 2**exponent // 2 * (not public["signed"])
        spread = public["scale"] * 2.0**exponent
        return [centre + round(spread * z) for z in self._rng.standard_normal(len(exact)).tolist()]

    def choose(self, weights: Sequence[int]) -> int:
        self.calls.append(({"kind": "choice", "scale": 0.0, "cells": len(weights)}, [*weights]))
        possible = [i for i, weight in enumerate(weights) if weight]
        return possible[int(self._rng.integers(len(possible)))]
