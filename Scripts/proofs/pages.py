"""Builds the code of the README and the guides as a package of its own, as a reader does who pastes it.

The README's first block of Swift is the program `App`, which runs, and its manifest is the package's. Each page is one
test target with the page's imports, because pages about tests have tests. Blocks of declarations stay as they are. The
others follow each other in one function, each in a scope of its own, so that a block sees the names of the blocks
before it. What a page names without declaring it, such as `datafile`, comes from Documentation/Pages/<page>.swift; the
types that `turnout generate` makes come from Tests/Documentation/Flags.swift.

With --tested, only checks that the tests in Tests/Documentation or Tests/Integrations have each block, with any
indentation and without its imports.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / ".build/pages"
BLOCK = re.compile(r"^```swift\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TESTED = re.compile(r"^```(?:swift|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
IMPORTS = re.compile(r"\A(import \w+\n)+\n*")
IMPORT = re.compile(r"^import (\w+)\n+", re.MULTILINE)
DECLARATION = re.compile(r"\A(?:///.*\n|@\w+ )*(?:struct|enum|class|func) .*\n\}\n\Z", re.DOTALL)
ADDRESS = re.compile(r'\.package\(url: "[^"]*", branch: "main"\)')
PRODUCTS = {path.name for path in (ROOT / "Sources").glob("*/*")}


def manifest(block, pages):
    """The README's manifest with the local package, and a target for each page."""
    local, count = ADDRESS.subn(f'.package(name: "turnout", path: "{ROOT}")', block)
    assert count == 1, "the README's manifest has no dependency by address"
    lines = ["// swift-tools-version: 6.2", "import PackageDescription", "", "let package = Package("]
    lines += ['name: "pages",', local.rstrip() + ")", ""]
    for name, imports in pages:
        products = ", ".join(f'.product(name: "{module}", package: "turnout")' for module in sorted(imports & PRODUCTS))
        lines.append(f'package.targets.append(.testTarget(name: "{name}Page", dependencies: [{products}]))')
    return "\n".join(lines) + "\n"


def source(path, blocks, context):
    """One file with the code of a page, and the modules it imports."""
    code = [f"// The code of {path.relative_to(ROOT)}."]
    imports = {module for block in blocks for module in IMPORT.findall(block)}
    code += [f"import {module}" for module in sorted(imports)]
    blocks = [IMPORT.sub("", block) for block in blocks]
    code += [block for block in blocks if DECLARATION.match(block)]
    steps = [block for block in blocks if not DECLARATION.match(block)]
    code += [context, "func page() async throws {"]
    code += [f"do {{\n{step}" for step in steps]
    code += ["}" * (len(steps) + 1), ""]
    return "\n".join(code), imports


def write(path, text):
    """Writes a file, unless it has this text: an unchanged file is not compiled again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def dedented(lines):
    """The lines without their common indentation."""
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[margin:].rstrip() for line in lines]


def occurs(block, sources):
    wanted = dedented(IMPORTS.sub("", block).splitlines())
    for lines in sources:
        for start, line in enumerate(lines):
            if line.strip() != wanted[0].strip():
                continue
            if dedented(lines[start : start + len(wanted)]) == wanted:
                return True
    return False


def tested(pages):
    """Checks that the tests have each block."""
    paths = [*ROOT.glob("Tests/Documentation/*.swift"), *ROOT.glob("Tests/Integrations/Tests/*/*.swift")]
    sources = [path.read_text("utf-8").splitlines() for path in paths]
    # Except manifests; the examples contain built ones.
    blocks = [(page, match[1]) for page in pages for match in TESTED.finditer(page.read_text("utf-8"))
              if ".package(" not in match[1]]
    # The README's first program is not in a test: the proof runs it.
    blocks.pop(0)
    missing = [f"{page}: no test has this block:\n{block}" for page, block in blocks if not occurs(block, sources)]
    print("\n".join(missing) or f"{len(blocks)} blocks of code are tested")
    sys.exit(bool(missing))


def write_package(paths):
    pages = []
    for path in paths:
        blocks = BLOCK.findall(path.read_text("utf-8"))
        if path.name == "README.md":
            write(PACKAGE / "Sources/App/main.swift", blocks.pop(0))
            packages = [block for block in blocks if ".executableTarget(" in block]
        blocks = [block for block in blocks if ".package(" not in block]
        name = path.stem.replace("README", "Readme")
        context = ROOT / f"Documentation/Pages/{name}.swift"
        text, imports = source(path, blocks, context.read_text("utf-8") if context.exists() else "")
        write(PACKAGE / f"Tests/{name}Page/Page.swift", text)
        if "Flags(client)" in text:
            flags = (ROOT / "Tests/Documentation/Flags.swift").read_text("utf-8")
            write(PACKAGE / f"Tests/{name}Page/Flags.swift", flags)
        pages.append((name, imports))
    write(PACKAGE / "Package.swift", manifest(packages[0], pages))


def main():
    guides = sorted(page for page in ROOT.glob("Documentation/Guides/*.md") if page.stem != "README")
    modules = sorted(ROOT.glob("Sources/*/*/*.docc/*.md"))
    pages = [ROOT / "README.md", *guides, *modules]
    if sys.argv[1:] == ["--tested"]:
        tested(pages)
    # One page uses packages that are not downloaded here: the integrations' tests build its code.
    write_package([page for page in pages if page.stem == "TurnoutClient"
                   or page not in modules and page.stem != "InYourService"])
    # The build that other proofs use: they depend on the same modules. Warnings are about unused constants.
    build = ["--build-tests", "--quiet", "--package-path", PACKAGE, "--scratch-path", ROOT / ".build/programs"]
    log = subprocess.run([ROOT / "Scripts/swift-build", *build], stdout=subprocess.PIPE, text=True)
    if log.returncode:
        sys.exit(f"{log.stdout}\na page does not build; each file of {PACKAGE} names its page")
    turnout = ROOT / ".build/all/debug/turnout"
    with tempfile.TemporaryDirectory() as folder:
        for command in ["init", "compile"]:
            subprocess.run([turnout, command], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        program = ROOT / ".build/programs/debug/App"
        output = subprocess.run([program], cwd=folder, stdout=subprocess.PIPE, text=True).stdout.strip()
    if f"`{output}`" not in (ROOT / "README.md").read_text("utf-8"):
        sys.exit(f'the README\'s first example prints "{output}"')
    print("all code on the pages builds when it is pasted")


main()
