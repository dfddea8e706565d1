"""Makes a site of the pages in this repository: a front door by reader, guides, search, and `llms.txt`.

    python Documentation/Site/build.py FOLDER    adds the pages to FOLDER, beside the reference of `Scripts/docs --site`

Needs markdown-it-py. Each page keeps its path, with .html; Documentation/Guides/README.md is the front door. A
file that a page links to is copied.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
FRONT = "Documentation/Guides/README.md"
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def slug(title):
    """The anchor of a heading, as hosts of repositories make it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def target(path):
    return "index.html" if path == FRONT else str(Path(path).with_suffix(".html"))


class Page:
    def __init__(self, path, pages):
        self.path, self.pages, self.files = path, pages, set()
        self.tokens = MARKDOWN.parse((ROOT / path).read_text("utf-8"))
        self.sections = []
        for index, token in enumerate(self.tokens):
            if token.type == "heading_open":
                title = "".join(each.content for each in self.tokens[index + 1].children)
                token.attrSet("id", slug(title))
                self.sections.append([token.tag, title, []])
            elif token.type in ("inline", "fence") and self.sections and self.tokens[index - 1].type != "heading_open":
                self.sections[-1][2].append(token.content)
            for child in token.children or []:
                for name in ["href", "src"]:
                    if child.attrGet(name):
                        child.attrSet(name, self.link(child.attrGet(name)))
        self.title = self.sections[0][1]
        self.body = self.framed(MARKDOWN.renderer.render(self.tokens, MARKDOWN.options, {}))

    def link(self, address):
        """The address in the site for one in the repository."""
        if re.match(r"[a-z]+:|#", address):
            return address
        place, _, anchor = address.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(self.path), place))
        if os.path.isdir(ROOT / path):
            path = f"{path}/README.md" if f"{path}/README.md" in self.pages else path
        if path in self.pages:
            path = target(path)
        elif os.path.isfile(ROOT / path):
            self.files.add(path)
        elif os.path.isdir(ROOT / path):
            print(f"site: {self.path}: {address} is a folder without a page", file=sys.stderr)
        else:
            sys.exit(f"site: {self.path}: {address} leads nowhere")
        return os.path.relpath(path, os.path.dirname(target(self.path)) or ".") + (anchor and "#" + anchor)

    def framed(self, body):
        """Tables and pictures scroll inside a page that is narrower, and short code is not broken into lines."""
        body = re.sub(r"<code>([^<\n]{1,30})</code>", r'<code class="short">\1</code>', body)
        body = re.sub(r"(<table>.*?</table>)", r'<div class="wide">\1</div>', body, flags=re.S)
        return re.sub(r"<p>(<img [^>]*>)</p>", r'<div class="wide">\1</div>', body)

    def description(self):
        """The first sentence below the title."""
        text = re.sub(r"\[([^]]*)\]\([^)]*\)|[`*]", r"\1", " ".join(self.sections[0][2][:1]))
        return re.split(r"(?<=\.) ", " ".join(text.split()))[0]

    def index(self):
        """What search finds: a section with its text."""
        return [{"page": self.title, "title": title, "text": " ".join(" ".join(text).split())[:4000],
                 "address": target(self.path) + (f"#{slug(title)}" if number else "")}
                for number, (_, title, text) in enumerate(self.sections)]


def navigation(front):
    """The groups of the front door's tables: a title, and links."""
    groups = []
    for index, token in enumerate(front.tokens):
        if token.type == "heading_open" and token.tag == "h2":
            groups.append((front.tokens[index + 1].content, []))
        for child in (token.children or []) if groups and front.tokens[index - 1].type == "td_open" else []:
            if child.type == "link_open" and not child.attrGet("href").startswith(("http", "#")):
                position = token.children.index(child)
                entry = (token.children[position + 1].content, child.attrGet("href").partition("#")[0])
                if entry not in groups[-1][1]:
                    groups[-1][1].append(entry)
    return [group for group in groups if group[1] and group[0] != "Questions"]


def link_back(folder):
    """The pages of the reference begin with a link to the front door."""
    style = "margin:0;padding:.4rem 1.25rem;font:14px system-ui"
    link = f'<p style="{style}"><a href="/index.html">Turnout: guides and search</a></p>'
    for page in (folder / "documentation").rglob("index.html"):
        text = page.read_text("utf-8")
        if link not in text:
            page.write_text(re.sub("<body[^>]*>", lambda body: body[0] + link, text, count=1), "utf-8")


def main(folder):
    folder = Path(folder)
    paths = subprocess.run(["git", "ls-files", "*.md"], stdout=subprocess.PIPE, check=True, text=True, cwd=ROOT).stdout
    published = re.compile(r"(Documentation|Examples)/|Benchmarks/(RESULTS|SERVER)|[A-Z]+\.md$")
    paths = [path for path in paths.split() if published.match(path)]
    pages = [Page(path, set(paths)) for path in paths]
    groups = navigation(next(page for page in pages if page.path == FRONT))
    template = (ROOT / "Documentation/Site/page.html").read_text("utf-8")
    for page in pages:
        to = folder / target(page.path)
        root = os.path.relpath(folder, to.parent)
        menu = "".join(
            f"<h2>{html.escape(title)}</h2><ul>" + "".join(
                f'<li><a href="{root}/{address}"{" aria-current=page" if address == target(page.path) else ""}>'
                f"{html.escape(name)}</a></li>" for name, address in links) + "</ul>" for title, links in groups)
        to.parent.mkdir(parents=True, exist_ok=True)
        fields = {"title": html.escape(page.title), "root": root, "menu": menu, "body": page.body}
        to.write_text(re.sub("{{([a-z]+)}}", lambda name: fields[name[1]], template), "utf-8")
        for file in page.files:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, folder / file)
    for name in ["style.css", "search.js"]:
        shutil.copy(ROOT / "Documentation/Site" / name, folder / name)
    sections = [section for page in pages for section in page.index()]
    (folder / "search.json").write_text(json.dumps(sections, ensure_ascii=False, separators=(",", ":")), "utf-8")
    guides = [page for page in pages if page.path.startswith("Documentation/Guides/") and page.path != FRONT]
    others = [page for page in pages if page not in guides and "/Decisions/" not in page.path and page.path != FRONT]
    summary = "Feature flags, A/B tests and gradual rollouts in Swift, on Linux servers and Apple devices."
    lines = ["# Turnout", "", f"> {summary}"]
    for title, listed in [("Guides", guides), ("Optional", others)]:
        lines += ["", f"## {title}", ""]
        lines += [f"- [{page.title}]({target(page.path)}): {page.description()}" for page in listed]
    link_back(folder)
    (folder / "llms.txt").write_text("\n".join(lines) + "\n", "utf-8")
    print(f"site: {len(pages)} pages, {len(sections)} sections")


main(sys.argv[1])
