"""Checks that each module has 50 lines of documentation per 100 lines of public declarations.

Counts the lines of code of public declarations, with the bodies of functions and properties but without those of types,
whose members count by themselves, and the lines of documentation (`///`) directly above them. A module fails if it has
fewer than LIMIT lines of documentation per 100 lines of code. Blank lines and comments do not count. Requirements of a
public protocol and cases of a public enumeration are public.

    python3 Scripts/check_docs.py           prints the modules below the limit
    python3 Scripts/check_docs.py --all     prints all modules, and their files below the limit
"""

import pathlib
import re
import sys

LIMIT = 50

# Blanked before declarations are looked for; the lines stay.
IGNORED = re.compile(r'//[^\n]*|/\*.*?\*/|"""(?:\\.|[^\\])*?"""|#"[^\n]*?"#|"(?:\\.|[^"\\\n])*"', re.DOTALL)
DECLARATION = re.compile(
    r"^ *(?:@[A-Za-z]+(?:\([^()]*\))? +)*((?:[a-z]+(?:\([a-z]+\))? +)*)"
    r"(actor|associatedtype|case|class|enum|extension|func|init|let|protocol|struct|subscript|typealias|var)\b"
)
TYPES = ("actor", "class", "enum", "extension", "protocol", "struct")
# What is public without a modifier in a public type of each kind.
IMPLICIT = {"protocol": ("associatedtype", "func", "init", "subscript", "var"), "enum": ("case",)}


def brackets(text, opening, closing):
    return sum(text.count(bracket) for bracket in opening) - sum(text.count(bracket) for bracket in closing)


def size(code, start, is_type):
    """The lines of code of a declaration: of a type up to its body, of others to the end of the body."""
    count = depth = body = 0
    for line in code[start:]:
        count += bool(line.strip())
        depth += brackets(line, "([", ")]")
        body += brackets(line, "{", "}")
        if depth <= 0 and (is_type or body <= 0):
            break
    return count


def documentation(source, start):
    """The lines of documentation directly above a line; attributes may be between them."""
    count = 0
    for line in reversed(source[:start]):
        line = line.strip()
        if line.startswith("///"):
            count += 1
        elif not line.startswith(("@", "//", ")")):
            break
    return count


def declarations(path):
    """The lines of code and of documentation of each public declaration of a file."""
    text = path.read_text("utf-8")
    source = text.split("\n")
    code = IGNORED.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text).split("\n")
    scopes, opened = [], None
    for number, line in enumerate(code):
        match = DECLARATION.match(line)
        if match:
            kind, words = match[2], match[1].split()
            scope = scopes[-1] if scopes else None
            is_public = "public" in words or "open" in words or kind in IMPLICIT.get(scope, ())
            if is_public and kind != "extension":
                yield size(code, number, kind in TYPES), documentation(source, number)
            opened = kind if is_public else None
        for character in line:
            if character == "{":
                scopes.append(opened)
                opened = None
            elif character == "}" and scopes:
                scopes.pop()


def measure(paths):
    """The lines of code and of documentation of the public declarations of some files."""
    found = [entry for path in paths for entry in declarations(path)]
    return sum(lines for lines, _ in found), sum(lines for _, lines in found)


def main():
    shows_all = sys.argv[1:] == ["--all"]
    failed = []
    for module in sorted(path for path in pathlib.Path("Sources").glob("*/*") if path.is_dir()):
        paths = sorted(module.rglob("*.swift"))
        lines, documented = measure(paths)
        if not lines:
            continue
        if 100 * documented < LIMIT * lines:
            failed.append(f"  {module.name}: {documented} lines of documentation for {lines} lines of code")
        if shows_all:
            print(f"{module.name}: {100 * documented // lines} per 100 ({documented} for {lines})")
            for path in paths:
                lines, documented = measure([path])
                if 100 * documented < LIMIT * lines:
                    print(f"  {path}: {documented} for {lines}")
    if failed:
        print("\n".join(failed))
        sys.exit(f"check_docs: fewer than {LIMIT} lines of documentation per 100 lines of public declarations")


if __name__ == "__main__":
    main()
