"""Checks that the code on our pages is code that the build compiles and the tests run.

Every ```swift and ```text block of the given pages must occur in a file of Tests/Documentation, indented as you like.
"""

import pathlib
import re
import sys

BLOCK = re.compile(r"^```(swift|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def dedented(lines):
    """The lines without the indentation that they share; empty lines have none."""
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[margin:].rstrip() for line in lines]


def occurs(block, sources):
    wanted = dedented(block.splitlines())
    for lines in sources:
        for start, line in enumerate(lines):
            if line.strip() != wanted[0].strip():
                continue
            if dedented(lines[start : start + len(wanted)]) == wanted:
                return True
    return False


def main():
    sources = [path.read_text("utf-8").splitlines() for path in pathlib.Path("Tests/Documentation").glob("*.swift")]
    count = 0
    missing = []
    for page in sys.argv[1:]:
        text = pathlib.Path(page).read_text("utf-8")
        for match in BLOCK.finditer(text):
            # A manifest is no code of ours; the examples are packages that are built.
            if ".package(" in match[2]:
                continue
            count += 1
            if not occurs(match[2], sources):
                line = text.count("\n", 0, match.start()) + 1
                missing.append(f"{page}:{line}: no test in Tests/Documentation has this block")
    print("\n".join(missing) or f"{count} blocks of code are tested")
    sys.exit(bool(missing))


main()
