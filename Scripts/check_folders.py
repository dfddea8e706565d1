"""Checks that the folders of a module do not depend on each other in cycles.

A folder depends on another one if one of its files names a type that the other declares. Subfolders count as part of
their folder; `.` stands for the files beside the folders. Errors, options and addresses beside the folders are for
all folders, so naming one is not a dependency. The check knows names only, so it also ignores types with the name of a
module, and names that several folders declare.
"""

import pathlib
import re
import sys

# Dependencies that may close a cycle, with the reason: (module, folder, needed folder).
ALLOWED = {
    ("Optimizely", "UserContext", "Client"): "a user context belongs to its client, which makes contexts",
}
SHARED = re.compile(r"(Address|Error|Options)$")

IGNORED = re.compile(
    r'//[^\n]*|/\*.*?\*/|"""(?:\\.|[^\\])*?"""|#"[^\n]*?"#|"(?:\\.|[^"\\\n])*"|^.*\bimport \w+$',
    re.DOTALL | re.MULTILINE,
)
DECLARATION = re.compile(r"\b(?:actor|class|enum|protocol|struct|typealias) ([A-Z]\w*)")
# Not preceded by a point: nested types belong to the type before it.
TYPE = re.compile(r"(?<![\w.])[A-Z]\w*")


def read(path):
    """The types that a file declares outside of other types, and all that its code may name."""
    code = IGNORED.sub(" ", path.read_text("utf-8"))
    depth = 0
    outer = []
    for part in re.split(r"([{}])", code):
        depth += (part == "{") - (part == "}")
        if depth == 0:
            outer.append(part)
    return set(DECLARATION.findall(" ".join(outer))), set(TYPE.findall(code))


def dependencies(module, modules):
    """The folders that each folder depends on, each with a sorted list of (file, type)."""
    folders, homes, named = set(), {}, {}
    for path in sorted(module.rglob("*.swift")):
        parts = path.relative_to(module).parts
        folder = parts[0] if len(parts) > 1 else "."
        folders.add(folder)
        declared, named[folder, path.name] = read(path)
        if folder == ".":
            declared = {name for name in declared if not SHARED.search(name)}
        for name in declared - modules:
            homes.setdefault(name, set()).add(folder)
    needed = {folder: {} for folder in folders}
    for (folder, file), names in named.items():
        for name in sorted(names):
            if len(homes.get(name, ())) == 1 and folder not in homes[name]:
                needed[folder].setdefault(*homes[name], []).append((file, name))
    return needed


def reachable(needed, start):
    """The folders that a folder depends on, directly or not."""
    found, open_ends = set(), [start]
    while open_ends:
        for folder in needed[open_ends.pop()]:
            if folder not in found:
                found.add(folder)
                open_ends.append(folder)
    return found


def main():
    paths = sorted(path for path in pathlib.Path("Sources").glob("*/*") if path.is_dir())
    modules = {path.name for path in paths}
    problems = []
    unused = set(ALLOWED)
    for module in paths:
        needed = dependencies(module, modules)
        for name, folder, other in ALLOWED:
            if name == module.name and needed.get(folder, {}).pop(other, None):
                unused.discard((name, folder, other))
        reached = {folder: reachable(needed, folder) for folder in needed}
        for folder in sorted(needed):
            for other in sorted(needed[folder]):
                if folder in reached[other]:
                    uses = needed[folder][other]
                    examples = ", ".join(f"{name} in {file}" for file, name in uses[:4])
                    problems.append(f"  {module.name}: {folder} needs {other} ({len(uses)}: {examples})")
    problems += [f"  {' '.join(entry)}: allowed, but does not occur" for entry in sorted(unused)]
    if problems:
        print("\n".join(problems))
        sys.exit("check_folders: folders depend on each other in cycles")


if __name__ == "__main__":
    main()
