"""Lists the public declarations of a symbol graph, one a line, sorted by path."""

import json
import sys


def declaration(symbol):
    return "".join(fragment["spelling"] for fragment in symbol["declarationFragments"]).replace("\n", " ")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        graph = json.load(file)
    lines = {
        ".".join(symbol["pathComponents"]) + ": " + " ".join(declaration(symbol).split())
        for symbol in graph["symbols"]
        if symbol["accessLevel"] in ("public", "open") and "::SYNTHESIZED::" not in symbol["identifier"]["precise"]
    }
    print("\n".join(sorted(lines)))


main()
