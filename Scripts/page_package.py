"""Writes a package with the code of pages: page_package.py FOLDER PAGE…

The README's first block of Swift is the program `App`, and its manifest is the package's. Each page is one test target
with the page's imports, because pages about tests have tests. Blocks of declarations stay as they are. The others
follow each other in one function, each in a scope of its own, so that a block sees the names of the blocks before it.
What a page names without declaring it, such as `datafile`, comes from Documentation/Pages/<page>.swift; the types that
`turnout generate` makes come from Tests/Documentation/Flags.swift.
"""

import pathlib
import re
import sys

BLOCK = re.compile(r"^```swift\n(.*?)^```$", re.MULTILINE | re.DOTALL)
IMPORT = re.compile(r"^import (\w+)\n+", re.MULTILINE)
DECLARATION = re.compile(r"\A(?:///.*\n|@\w+ )*(?:struct|enum|class|func) .*\n\}\n\Z", re.DOTALL)
ADDRESS = re.compile(r'\.package\(url: "[^"]*", branch: "main"\)')
PRODUCTS = {path.name for path in pathlib.Path("Sources").glob("*/*")}


def manifest(block, pages):
    """The README's manifest with the local package, and a target for each page."""
    local, count = ADDRESS.subn(f'.package(name: "turnout", path: "{pathlib.Path.cwd()}")', block)
    assert count == 1, "the README's manifest has no dependency by address"
    lines = ["// swift-tools-version: 6.2", "import PackageDescription", "", "let package = Package("]
    lines += ['name: "pages",', local.rstrip() + ")", ""]
    for name, imports in pages:
        products = ", ".join(f'.product(name: "{module}", package: "turnout")' for module in sorted(imports & PRODUCTS))
        lines.append(f'package.targets.append(.testTarget(name: "{name}Page", dependencies: [{products}]))')
    return "\n".join(lines) + "\n"


def source(path, blocks, context):
    """One file with the code of a page, and the modules it imports."""
    code = [f"// The code of {path}."]
    imports = {module for block in blocks for module in IMPORT.findall(block)}
    code += [f"import {module}" for module in sorted(imports)]
    blocks = [IMPORT.sub("", block) for block in blocks]
    code += [block for block in blocks if DECLARATION.match(block)]
    steps = [block for block in blocks if not DECLARATION.match(block)]
    code += [context, "func page() async throws {"]
    code += [f"do {{\n{step}" for step in steps]
    code += ["}" * (len(steps) + 1), ""]
    return "\n".join(code), imports


def main():
    folder = pathlib.Path(sys.argv[1])
    pages = []
    for page in map(pathlib.Path, sys.argv[2:]):
        blocks = BLOCK.findall(page.read_text("utf-8"))
        if page.name == "README.md":
            program = blocks.pop(0)
            write(folder / "Sources/App/main.swift", program)
            packages = [block for block in blocks if ".executableTarget(" in block]
        blocks = [block for block in blocks if ".package(" not in block]
        name = page.stem.replace("README", "Readme")
        context = pathlib.Path(f"Documentation/Pages/{name}.swift")
        text, imports = source(page, blocks, context.read_text("utf-8") if context.exists() else "")
        write(folder / f"Tests/{name}Page/Page.swift", text)
        if "Flags(client)" in text:
            flags = pathlib.Path("Tests/Documentation/Flags.swift").read_text("utf-8")
            write(folder / f"Tests/{name}Page/Flags.swift", flags)
        pages.append((name, imports))
    write(folder / "Package.swift", manifest(packages[0], pages))


def write(path, text):
    """Writes a file, unless it has this text: an unchanged file is not compiled again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


main()
