"""Compares Turnout's decisions with those of PyPI's optimizely-sdk on random inputs.

Reading order:

- `rounds`      one random datafile with its users: `datafiles` (with `rules`, `variables`, `audiences`, `conditions`,
                `versions`) and `users`, drawing from `dice`, `names` and `attributes`
- `reference`   what the vendor's SDK decides
- `subject`     what `turnout` decides
- `comparison`  where the two differ; `report` prints and keeps it; `coverage` counts what was exercised

The two sides are known to differ in corner cases that are documented with the project. The generator avoids
only those; a comment that starts with "Avoids" marks each such place.
"""
