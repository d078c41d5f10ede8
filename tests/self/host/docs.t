#!/usr/bin/python3
"""The pages in docs: each is in the index, every link leads somewhere, and prose fits into 120 columns."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/self"))
from tap import done, equal, ok  # noqa: E402

WIDTH = 120
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^\s*```")


def without_code(text):
    """Lines outside of fenced blocks, by number; code in a line is left out."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchor(heading):
    """As GitHub makes it of a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(text):
    return {anchor(line.lstrip("#")) for _, line in without_code(text) if line.startswith("#")}


def links(text):
    """Targets of links. Lines are joined: a link may go on in the next one."""
    return LINK.findall(re.sub(r"`[^`]*`", "", "\n".join(line for _, line in without_code(text))).replace("\n", " "))


def dead_links(page, text):
    for target in links(text):
        if re.match(r"\w+:", target):
            continue
        path, _, place = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        if not found.exists():
            yield f"{target}: no such file"
        elif place and found.suffix == ".md" and place not in anchors(text if found == page else found.read_text()):
            yield f"{target}: no such heading"


def wide(text):
    """Lines of prose that are too long. Tables and code are not prose."""
    return [n for n, line in without_code(text) if len(line) > WIDTH and not line.lstrip().startswith("|")]


def not_listed(index, pages):
    listed = {target.partition("#")[0] for target in links(index)}
    return sorted(page.name for page in pages if page.name not in listed and page.name != "README.md")


PAGES = sorted((ROOT / "docs").glob("*.md"))
for page in [ROOT / "README.md", *PAGES]:
    content = page.read_text(encoding="utf-8")
    equal(list(dead_links(page, content)), [], f"{page.relative_to(ROOT)}: links lead somewhere")
    equal(wide(content), [], f"{page.relative_to(ROOT)}: prose fits into {WIDTH} columns")
equal(not_listed((ROOT / "docs/README.md").read_text(encoding="utf-8"), PAGES), [], "the index has every page")

# The other side: each rule finds what breaks it.
PAGE = ROOT / "docs/README.md"
equal(list(dead_links(PAGE, "see [a](glossary.md), [b](none.md)")), ["none.md: no such file"], "a dead link is found")
equal(list(dead_links(PAGE, "# A heading\n[a](#a-heading) [b](#another)")), ["#another: no such heading"], "a dead place is found")
equal(list(dead_links(PAGE, "[over two\nlines](none.md)")), ["none.md: no such file"], "in a link of two lines as well")
equal(list(dead_links(PAGE, "`[x](none.md)`\n```\n[x](none.md)\n```")), [], "code has no links")
equal(wide("x" * 121 + "\n" + "x" * 120 + "\n| " + "x" * 121 + "\n```\n" + "x" * 121 + "\n```\n"), [1], "a wide line is found")
ok("glossary.md" in not_listed("nothing", PAGES), "a page that the index has not is found")
done()
