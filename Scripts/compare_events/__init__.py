"""Compares the events that Turnout sends with those of PyPI's optimizely-sdk, on random inputs.

Reading order:

- `rounds`       one random datafile and the calls made with it: `calls`, drawing from `compare_python`
- `vendor`       what the vendor's SDK sends
- `printer`      what Turnout sends, as the program in Tests/Support/EventPrinter prints it
- `fields`       which fields an event of Turnout must have, and of which types
- `differences`  where two events differ
- `known`        which differences are intended, and why; all others fail
- `comparison`   all of this for a round; `proof` checks that altered events are detected
"""
