#!/usr/bin/env python3
"""include_graph.py [FILE.svg]: which folder of src includes which, as a picture drawn from the #include lines themselves.

Without FILE the graph is printed, one line per folder. docs/architecture.svg is made by this; the test `habits` fails when
it is out of date.
"""
import os
import re
import subprocess
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Each folder of src, from the bottom up, with the folders that it may include.
ALLOWED = {
    "engine": [],
    "rating": ["engine"],
    "lines": ["engine"],
    "edition": ["engine", "lines"],
    "paper": ["engine", "lines", "edition"],
    "record": ["engine", "lines", "edition"],
    "match": ["engine", "lines", "edition", "record"],
    "bots": ["engine"],
    "fair": ["engine", "lines", "edition", "record", "match"],
    "session": ["engine", "lines", "edition", "record", "match", "bots", "fair"],
    "puzzle": ["engine", "rating", "lines", "edition", "record", "match", "bots", "session"],
    "env": ["engine", "bots"],
    "builtin": ["engine"],
    "text": ["engine", "lines", "edition", "record"],
    "judge": ["engine", "lines", "edition", "record", "match", "session", "text"],
    "wire": ["lines"],
    "letters": ["engine", "lines"],
    "server": ["engine", "lines", "edition", "record", "match", "bots", "session", "text", "fair", "judge", "wire",
    "letters", "rating"],
    "tui": ["engine", "lines", "edition", "record", "match", "bots", "session", "builtin", "text", "judge", "wire",
    "letters"],
    "instance": ["engine", "lines", "edition", "paper", "record", "match", "bots", "session", "fair", "rating",
    "puzzle"],
    "wasm": ["engine", "lines", "edition", "paper", "record", "match", "bots", "session", "fair", "rating",
    "puzzle", "instance"],
    "lib": [],
    "cli": ["engine", "rating", "puzzle", "lines", "edition", "paper", "record",
    "match", "bots", "env", "session", "builtin", "text", "fair", "judge",
    "server",
            "tui", "letters"],
}


def tracked(*folders):
    """Files of these folders that git tracks or would add; all of them without git (in a release's tarball)."""
    found = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *folders], cwd=ROOT,
                           capture_output=True, check=False)
    if found.returncode == 0 and found.stdout:
        names = found.stdout.decode().split("\0")
    else:
        names = [str(path.relative_to(ROOT)) for folder in folders for path in (ROOT / folder).rglob("*")]
    return sorted(ROOT / name for name in names if name and (ROOT / name).is_file())


def read(path):
    return path.read_text(encoding="utf-8", errors="replace")


def folder_of(path):
    return path.relative_to(ROOT / "src").parts[0]


def include_graph():
    """(folder, included folder) -> the first place of such an include."""
    files = [path for path in tracked("src") if path.suffix in (".c", ".h", ".inc") and path.parent != ROOT / "src"]
    public = {path.name: folder_of(path) for path in files if path.parent.name == "pyramids"}
    private = {}
    for path in files:
        if path.parent.name != "pyramids":
            private.setdefault(path.name, set()).add(folder_of(path))
    graph = {}
    for path in files:
        for number, line in enumerate(read(path).split("\n"), 1):
            found = re.match(r'\s*#\s*include\s+(?:<pyramids/([^>]+)>|"([^"]+)")', line)
            if not found:
                continue
            if found[1]:
                other = public.get(found[1])
            elif (path.parent / found[2]).is_file():
                other = folder_of(Path(os.path.normpath(path.parent / found[2])))
            else:        # found through an include root: the one folder that has such a header
                owners = private.get(Path(found[2]).name, set())
                other = next(iter(owners)) if len(owners) == 1 else None
            if other and other != folder_of(path):
                graph.setdefault((folder_of(path), other), f"{path.relative_to(ROOT)}:{number}")
    return graph


def edges(graph):
    """folder -> the folders it includes, without those that one of them includes anyway: the picture stays readable."""
    direct = {}
    for folder, other in graph:
        direct.setdefault(folder, set()).add(other)
        direct.setdefault(other, set())

    def reach(folder):
        return set().union(*({other} | reach(other) for other in direct[folder])) if direct[folder] else set()

    return {folder: sorted(others - set().union(*map(reach, others))) for folder, others in direct.items()}


def levels(direct):
    """folder -> its row, counted from the bottom: right below the lowest folder that includes it."""
    users = {folder: [user for user in direct if folder in direct[user]] for folder in direct}
    depth, level = {}, {}

    def depth_of(folder):
        if folder not in depth:
            depth[folder] = 1 + max((depth_of(other) for other in direct[folder]), default=-1)
        return depth[folder]

    def level_of(folder):
        if folder not in level:
            level[folder] = min((level_of(user) - 1 for user in users[folder]), default=depth_of(folder))
        return level[folder]

    for folder in direct:
        level_of(folder)
    return level


def arrange(direct, level):
    """Rows of folders from the bottom, and the way of each arrow. An arrow past other rows gets a place of its own in
    each of them, so that it runs between the folders; the rows are then sorted so that few arrows cross."""
    order = list(ALLOWED)
    rows = [[] for _ in range(max(level.values()) + 1)]
    ways = {}
    for folder in sorted(direct, key=lambda f: (order.index(f) if f in order else len(order), f)):
        rows[level[folder]].append(folder)
        for other in direct[folder]:
            between = [(folder, other, n) for n in range(level[folder] - 1, level[other], -1)]
            for step in between:
                rows[step[2]].append(step)
            ways[folder, other] = [folder, *between, other]
    links = {}
    for way in ways.values():
        for upper, lower in zip(way, way[1:]):
            links.setdefault(upper, []).append(lower)
            links.setdefault(lower, []).append(upper)
    for _ in range(8):
        for row in [*rows[::-1], *rows]:
            at = {node: (i + 0.5) / len(r) for r in rows for i, node in enumerate(r)}
            row.sort(key=lambda node: sum(at[n] for n in links.get(node, [node])) / len(links.get(node, [node])))
    return rows, ways


WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 92, 34, 26, 44, 20
STYLE = """
text { font: 600 14px system-ui, sans-serif; text-anchor: middle; fill: #2b2118 }
rect { fill: #f3e3c3; stroke: #8a6a3b; stroke-width: 1.5 }
path { fill: none; stroke: #8a6a3b; stroke-width: 1.5 }
#tip path { fill: #8a6a3b; stroke: none }
@media (prefers-color-scheme: dark) {
text { fill: #f6ead2 } rect { fill: #4a3820; stroke: #c9a468 } path { stroke: #c9a468 } #tip path { fill: #c9a468 }
}
"""


def picture(graph):
    direct = edges(graph)
    rows, ways = arrange(direct, levels(direct))

    def wide(node):
        return WIDTH if isinstance(node, str) else 0

    widths = [sum(map(wide, row)) + GAP_X * (len(row) - 1) for row in rows]
    full = 2 * MARGIN + max(widths)
    tall = 2 * MARGIN + len(rows) * HEIGHT + (len(rows) - 1) * GAP_Y
    place = {}
    for n, row in enumerate(rows):
        x = (full - widths[n]) / 2
        for node in row:
            place[node] = (x, tall - MARGIN - HEIGHT - n * (HEIGHT + GAP_Y))
            x += wide(node) + GAP_X
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full} {tall}" role="img" aria-labelledby="title">',
           '<title id="title">The folders of src: an arrow leads from a folder to one that it includes</title>',
           f"<style>{STYLE}</style>", '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
           'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker>']
    for (folder, other), way in sorted(ways.items()):
        x, y = place[folder]
        mine = sorted(direct[folder], key=lambda one: place[ways[folder, one][1]][0])
        at = (x + WIDTH * (mine.index(other) + 1) / (len(mine) + 1), y + HEIGHT)
        line = f"M{at[0]:.1f} {at[1]:.1f}"
        for node in way[1:]:
            x, y = place[node]
            if isinstance(node, str):
                x += WIDTH / 2 + max(-0.3, min(0.3, (at[0] - x - WIDTH / 2) / 400)) * WIDTH
            line += f"C{at[0]:.1f} {at[1] + GAP_Y / 2:.1f} {x:.1f} {y - GAP_Y / 2:.1f} {x:.1f} {y:.1f}"
            if not isinstance(node, str):
                line += f"V{y + HEIGHT:.1f}"
            at = (x, y + HEIGHT)
        out.append(f'<path marker-end="url(#tip)" d="{line}"/>')
    for folder in sorted(direct):
        x, y = place[folder]
        out.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{WIDTH}" height="{HEIGHT}" rx="7"/>'
                   f'<text x="{x + WIDTH / 2:.1f}" y="{y + 22:.1f}">{escape(folder)}</text>')
    return "\n".join(out) + "\n</svg>\n"


def main(args):
    graph = include_graph()
    if args:
        Path(args[0]).write_text(picture(graph), encoding="utf-8")
        return 0
    for folder in sorted({folder for folder, _ in graph}):
        print(f"{folder}: {' '.join(sorted(other for one, other in graph if one == folder))}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
