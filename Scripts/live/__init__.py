"""Runs `turnout serve` with live clients.

Reading order:

- `server`   the server as a process, its datafile, its memory and its events
- `load`     clients over HTTP, which remember what was acknowledged
- `vendor`   PyPI's optimizely-sdk as a client: `Scripts/check-python-client`
- `kill`     a server that is killed under load: `Scripts/kill-server`
- `soak`     a server under mixed load for minutes: `Scripts/soak-server`
- `rates`    requests per second, processor time and memory, with `datafiles` of a size: `Scripts/bench-server`
"""
