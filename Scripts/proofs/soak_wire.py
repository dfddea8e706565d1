"""Runs a client for minutes: a thousand decisions and a new datafile a second, every fifth request fails.

Events are in a file. Prints the memory; fails if it grows, or if an event is lost or arrives with two uuids.
"""

import subprocess

import support


def main():
    arguments = support.options(__doc__, seconds=300)
    support.build("durability")
    with support.workspace() as directory:
        command = [support.BUILD / "durability", "soak", directory, support.ROOT / "Examples/Shop/datafile.json"]
        support.expect(subprocess.run([*command, str(arguments.seconds)]).returncode == 0, "the soak failed")


main()
