"""Compares the events that Turnout sends with those of PyPI's optimizely-sdk, on random inputs.

Reading order:

- `rounds`       one random datafile and the calls made with it: `calls`, drawing from `compare_python`
- `vendor`       what the vendor's SDK sends
- `printer`      what Turnout sends, as the program in Tests/Support/EventPrinter prints it
- `fields`       which fields an event of Turnout must have, and of which types
- `differences`  where two events differ
- `known`        which differences are meant, and why; every other one fails
- `comparison`   all of this for a round; `proof` sees to it that no falsified event passes
"""
