"""Lists the public declarations of a module from its symbol graphs, one a line, sorted by path.

    python3 Scripts/list_api.py FOLDER MODULE
"""

import json
import pathlib
import sys


def declaration(symbol):
    return "".join(fragment["spelling"] for fragment in symbol["declarationFragments"]).replace("\n", " ")


def is_own(symbol, module):
    """Whether the module itself declares the symbol; re-exported symbols are in the lists of their modules."""
    return f"/{module}/" in symbol.get("location", {}).get("uri", "")


def main():
    folder, module = pathlib.Path(sys.argv[1]), sys.argv[2]
    # Extensions of other modules' types are in separate graphs.
    paths = [folder / f"{module}.symbols.json", *folder.glob(f"{module}@*.symbols.json")]
    symbols = [symbol for path in paths for symbol in json.loads(path.read_text("utf-8"))["symbols"]]
    lines = {
        ".".join(symbol["pathComponents"]) + ": " + " ".join(declaration(symbol).split())
        for symbol in symbols
        if symbol["accessLevel"] in ("public", "open")
        and "::SYNTHESIZED::" not in symbol["identifier"]["precise"]
        and is_own(symbol, module)
    }
    print("\n".join(sorted(lines)))


main()
