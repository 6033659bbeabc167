#!/usr/bin/env python3
"""scripts/check-habits works: it reports nothing in a small tree that follows the habits, and each place in one that
breaks them. usage: habits.py SOURCE_ROOT"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

GOOD = {
    'src/server/store_pg.h': '/*\n * store_pg.h (store_pg.c): a store.\n */\nbool pg_open(void);\nvoid pg_close(void);\n',
    'src/server/store_pg.c': '/* store_pg.c: opens. */\nbool pg_open(void) { return true; }\nvoid pg_close(void) {}\n',
    'src/server/serve.c': '/* serve.c: calls both. */\nint main(void) { pg_open(); pg_close(); return 0; }\n',
    'src/bots/learned.h': '/* Made by: bot_learn weights 1 8. Do not edit. */\n1, 2\n',
    'tools/late.c': '/*\n * late: solves positions.\n */\nint main(void) { return 0; }\n',
    **{f'src/server/{name}.c': f'/* {name}.c: a part of tables. */\n'
       for name in ('table', 'table_make', 'table_read', 'rematch', 'change', 'seats', 'turns', 'config')},
}
# A habit, what breaks it (a file and its text), and what is then reported; "" for nothing.
CASES = [
    ('declared', {}, ''),
    ('heads', {}, ''),
    ('declared', {'src/server/serve.c': '/* serve.c: calls one. */\nint main(void) { pg_close(); return 0; }\n'},
     'src/server/store_pg.h:4: pg_open is defined and never used\n'),
    ('declared', {'src/server/store_pg.c': GOOD['src/server/store_pg.c'] + 'static void use(void) { pg_open(); }\n',
                  'src/server/serve.c': '/* serve.c: calls one. */\nint main(void) { pg_close(); return 0; }\n'},
     'src/server/store_pg.h:4: pg_open is used only in src/server/store_pg.c: make it static\n'),
    ('declared', {'src/server/store_pg.c': '/* store_pg.c: opens. */\nbool pg_open(void) { return true; }\n',
                  'src/server/serve.c': '/* serve.c: calls one. */\nint main(void) { return pg_open(); }\n'},
     'src/server/store_pg.h:5: pg_close is declared, and defined nowhere\n'),
    ('declared', {'src/engine/include/pyramids/desk.h': 'PYR_API int pyr_desk_count(void);\n',
                  'src/engine/desk.c': 'int pyr_desk_count(void) { return 2; }\n'},
     'src/engine/include/pyramids/desk.h:1: pyr_desk_count is neither used nor tested anywhere\n'),
    ('declared', {'src/engine/include/pyramids/desk.h':
                  'PYR_API int pyr_desk_count(void);\n#define DESKS pyr_desk_count()\n',
                  'src/engine/desk.c': 'int pyr_desk_count(void) { return 2; }\n'}, ''),
    ('exports', {}, ''),
    ('exports', {'web/x.js': 'export const one = 1;\nexport function two() {}\n',
                 'web/y.js': "import { one } from './x.js';\n"},
     'web/x.js:2: no other file uses two: do not export it\n'),
    ('stale', {}, ''),
    ('stale', {'src/server/serve.c': '/* serve.c: calls pyr_desk_judge (old.c), and pyr_luck_* of store_pg.c. */\n',
               'docs/tour.md': 'See `serve.c`.\nThen `pyr_go`.\n'},
     'src/server/serve.c:1: there is no pyr_desk_judge\nsrc/server/serve.c:1: there is no old.c\n'
     'docs/tour.md:2: there is no pyr_go\n'),
    ('stale', {'CONTRIBUTING.md': 'Call `pg_open`.\nThen `goOn`, see `store_pg`; `make check`.\n',
               'src/server/store_pg.c': 'int pg_open(void);\n'}, 'CONTRIBUTING.md:2: there is no goOn\n'),
    ('heads', {'tools/late.c': 'int main(void) { return 0; }\n'},
     'tools/late.c:1: no head: a file begins with /* late.c: what it is for */\n'),
    ('heads', {'src/server/serve.c': '/* store.c: another file. */\nint main(void) { return 0; }\n'},
     'src/server/serve.c:1: no head: a file begins with /* serve.c: what it is for */\n'),
    ('heads', {'src/server/store_pg.h': '#include <stdbool.h>\n/* store_pg.h: a store. */\n'},
     'src/server/store_pg.h:1: no head: a file begins with /* store_pg.h: what it is for */\n'),
    ('heads', {'src/server/store_pg.c': '/* store_pg.c: see store_pg.h. */\n'},
     'src/server/store_pg.c:1: the head only points to a header: say what this file is for\n'),
    ('functions', {}, ''),
    ('functions', {'tools/late.c': '/* late: long. */\nint main(void)\n{\n' + '    f();\n' * 80 + '    return 0;\n}\n'},
     'tools/late.c:2: main has 84 lines and complexity 1; at most 80 and 25, or a comment `habit: ...` that says why\n'),
    ('functions', {'tools/late.c': '/* late: branchy. */\nint main(void)\n{\n' + '    if (f() && g()) h();\n' * 13 + '}\n'},
     'tools/late.c:2: main has 16 lines and complexity 27; at most 80 and 25, or a comment `habit: ...` that says why\n'),
    ('functions', {'tools/late.c': '/* late: branchy. */\n/* habit: branchy, because it lists. */\nint main(void)\n{\n'
                   + '    if (f() && g()) h();\n' * 13 + '}\n'}, ''),
    ('functions', {'web/x.js': 'export function put(a) {\n' + '    a.draw();\n' * 79 + '}\n'},
     'web/x.js:1: put has 81 lines and complexity 1; at most 80 and 25, or a comment `habit: ...` that says why\n'),
    # Signs in strings, templates, comments and regular expressions are no branches; branches of inner functions count for
    # those.
    ('functions', {'web/x.js': 'class A {\n    go(a, b) {\n        // if && ||\n'
                   + "        x(`?${a ? '&&' : b}?`, /[/?]&&/, a?.b);\n" * 24
                   + '        return () => (a || b) && [a].map((c) => c ?? b);\n    }\n}\n'}, ''),
    ('functions', {'web/x.js': 'class A {\n    go(a, b) {\n' + "        x(`?${a ? '&&' : b}?`, a || b);\n" * 12
                   + '        while (a) try { a = f(); } catch { b.catch(a); }\n    }\n}\n'},
     'web/x.js:2: go has 15 lines and complexity 27; at most 80 and 25, or a comment `habit: ...` that says why\n'),
    ('functions', {'web/x.js': 'const go = (a) => ' + 'a ? 1 : ' * 25 + '0;\n'},
     'web/x.js:1: go has 1 lines and complexity 26; at most 80 and 25, or a comment `habit: ...` that says why\n'),
    ('layout', {}, ''),
    ('layout', {'src/server/serve.c': '/* serve.c: calls both. */\nint main(void) { pg_open(); pg_close(); return 0; } \n',
                'web/x.js': '\tgo();\n'},
     'src/server/serve.c:2: a tab, or blanks at the end of the line\nweb/x.js:1: a tab, or blanks at the end of the line\n'),
    ('layout', {'src/server/serve.c': f'/* serve.c: {"x" * 111} */\n', 'web/x.css': 'y' * 125, 'web/x.js': 'y' * 126,
                'web/y.html': 'z' * 127, 'scripts/run': f'#!/bin/sh\necho {"x" * 121}\n'},
     'scripts/run:2: 126 columns; at most 125\nsrc/server/serve.c:1: 126 columns; at most 125\n'
     'web/x.js:1: 126 columns; at most 125\nweb/y.html:1: 127 columns; at most 125\n'),
    ('includes', {}, ''),
    ('includes', {'src/engine/rules.c': '/* rules.c: looks up. */\n#include "store_pg.h"\n'},
     'src/engine/rules.c:2: src/engine must not include src/server\n'),
    ('includes', {'src/new/new.c': '/* new.c: a folder without a line. */\n'},
     'src/new: not in ALLOWED of scripts/include_graph.py\n'),
    ('rings', {}, ''),
    ('rings', {'src/server/a.h': '/* a.h: one. */\n#include "b.h"\n', 'src/server/b.h': '/* b.h: two. */\n#include "a.h"\n'},
     'src/server/a.h: a ring of includes: a.h -> b.h -> a.h\n'),
    ('rings', {'src/server/conn.h': '/* conn.h: connections. */\n', 'src/server/table.h': '#include "conn.h"\n',
               'src/server/table.c': '#include "table.h"\n'},
     'src/server/table.c: tables know observers, not conn.h\n'),
    ('cases', {'tests/test_x.c': 'static void same(int a) { CHECK(a); }\nTEST("one") {\n    same(1);\n}\n'
               'TEST("two") {\n    CHECK_INT(1, 1);\n}\n'}, ''),
    ('cases', {'tests/test_x.c': 'TEST("one") {\n    CHECK(1);\n}\nTEST("two") {\n    run();\n}\n'},
     'tests/test_x.c:4: the case "two" checks nothing\n'),
    ('nouns', {}, ''),
    ('nouns', {'src/engine/include/pyramids/desk.h': 'struct pyr_desk;\nstruct pyr_box;\n'
               'PYR_API int pyr_desk_mark(const struct pyr_box *box, struct pyr_desk *desk);\n'},
     'src/engine/include/pyramids/desk.h:3: pyr_desk_mark takes its struct pyr_desk as parameter 2; it comes first\n'),
    ('values', {'src/engine/include/pyramids/desk.h': 'enum pyr_desk { PYR_A = 0, PYR_B = 1 << 2 };\n'
                '#define PYR_LIST(X) X(C, 0) X(D, 1)\n#define PYR_ONE(name, number) PYR_##name = number,\n'
                'enum pyr_more { PYR_LIST(PYR_ONE) PYR_COUNT = 2 };\n'}, ''),
    ('values', {'src/engine/include/pyramids/desk.h': 'enum pyr_desk { PYR_A = 0,\n    PYR_B };\n'
                '#define PYR_LIST(X) X(C) X(D)\n#define PYR_ONE(name) PYR_##name,\nenum { PYR_LIST(PYR_ONE) };\n'},
     'src/engine/include/pyramids/desk.h:2: PYR_B has no explicit value\n'
     'src/engine/include/pyramids/desk.h:5: PYR_ONE has no explicit value\n'),
    ('numbers', {'web/x.js': 'd.getUint8(DESK.due); step & 1n; if (code === ERR.not_pattern || by === -1) go();\n'}, ''),
    ('numbers', {'web/x.js': 'd.getUint8(31);\ngo(step & 63n);\nif (code === -191)\n    go();\n'},
     'web/x.js:1: an offset as a number: name it in src/wasm/codes.c\n'
     'web/x.js:2: a mask or shift as a number: name it in src/wasm/codes.c\n'
     'web/x.js:3: an error code as a number: name it in src/wasm/codes.c\n'),
    ('picture', {'docs/architecture.svg': '<svg/>', 'src/engine/rules.h': '/* rules.h: below. */\n',
                 'src/server/serve.c': '/* serve.c: above. */\n#include "rules.h"\n'},
     'docs/architecture.svg: out of date; run scripts/include_graph.py docs/architecture.svg\n'),
]


def check(scripts, habit, files):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(scripts, Path(folder, 'scripts'), ignore=shutil.ignore_patterns('__pycache__'))
        for name, text in {**GOOD, **files}.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding='utf-8')
        return subprocess.run([sys.executable, Path(folder, 'scripts/check-habits'), habit], capture_output=True, text=True,
                              check=False)


def main(root):
    for habit, files, wanted in CASES:
        done = check(Path(root, 'scripts'), habit, files)
        assert (done.stdout, done.returncode) == (wanted, 1 if wanted else 0), \
            f'{habit} {sorted(files)}: expected {wanted!r}, got {done.stdout!r} {done.stderr}'
    known = check(Path(root, 'scripts'), 'none', {}).stderr.partition('choose from: ')[2].strip().split(', ')
    assert set(known) == {habit for habit, _, wanted in CASES if wanted}, f'each habit has a tree that breaks it: {known}'
    print(f'{len(CASES)} trees')


main(sys.argv[1])
