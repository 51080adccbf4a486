"""Makes the pictures of docs/gallery.md: python docs/make_gallery.py [--data DIR] [--workers K] [NAME ...]

Figures whose tables do not come with the package are left as they are unless --data names the folder that holds them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from discreet.lab import reproduce

PICTURES = Path(__file__).parent / "pictures" / "gallery"
DOTS_PER_INCH = 100


def main() -> None:
    """Make the named pictures, or all."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*", metavar="NAME")
    options.add_argument("--data", type=Path)
    options.add_argument("--workers", type=int, default=1)
    given = options.parse_args()
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in given.names or reproduce.FIGURES:
        needed = reproduce.about(name).needs_data
        if needed is None or (given.data is not None and (given.data / f"{needed}.csv").is_file()):
            study = reproduce.run(name, data=given.data, n_jobs=given.workers)
            study.plot().savefig(PICTURES / f"{name}.png", dpi=DOTS_PER_INCH)


if __name__ == "__main__":
    main()
