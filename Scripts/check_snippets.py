"""Checks that the code in the documentation is compiled and run by the tests.

Every ```swift and ```text block of the given pages must occur in a file of Tests/Documentation or of the tests in
Tests/Integrations, with any indentation. Import lines are left out: `Scripts/pages` checks that those of the
page suffice.
"""

import pathlib
import re
import sys

BLOCK = re.compile(r"^```(swift|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def dedented(lines):
    """The lines without their common indentation."""
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[margin:].rstrip() for line in lines]


def without_imports(block):
    return re.sub(r"\A(import \w+\n)+\n*", "", block)


def occurs(block, sources):
    wanted = dedented(without_imports(block).splitlines())
    for lines in sources:
        for start, line in enumerate(lines):
            if line.strip() != wanted[0].strip():
                continue
            if dedented(lines[start : start + len(wanted)]) == wanted:
                return True
    return False


def main():
    tests = pathlib.Path("Tests")
    paths = [*tests.glob("Documentation/*.swift"), *tests.glob("Integrations/Tests/*/*.swift")]
    sources = [path.read_text("utf-8").splitlines() for path in paths]
    count = 0
    missing = []
    for page in sys.argv[1:]:
        text = pathlib.Path(page).read_text("utf-8")
        for match in BLOCK.finditer(text):
            # Skip manifests; the examples contain built ones.
            if ".package(" in match[2]:
                continue
            count += 1
            if not occurs(match[2], sources):
                line = text.count("\n", 0, match.start()) + 1
                missing.append(f"{page}:{line}: no test has this block")
    print("\n".join(missing) or f"{count} blocks of code are tested")
    sys.exit(bool(missing))


main()
