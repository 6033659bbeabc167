#!/usr/bin/env python3
"""scripts/check-habits finds what it is there for: in a small tree that keeps the habits it finds nothing, and in one that
breaks them it names each place. usage: habits.py SOURCE_ROOT"""
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
    ('heads', {'tools/late.c': 'int main(void) { return 0; }\n'},
     'tools/late.c:1: no head: a file begins with /* late.c: what it is for */\n'),
    ('heads', {'src/server/serve.c': '/* store.c: another file. */\nint main(void) { return 0; }\n'},
     'src/server/serve.c:1: no head: a file begins with /* serve.c: what it is for */\n'),
    ('heads', {'src/server/store_pg.h': '#include <stdbool.h>\n/* store_pg.h: a store. */\n'},
     'src/server/store_pg.h:1: no head: a file begins with /* store_pg.h: what it is for */\n'),
    ('heads', {'src/server/store_pg.c': '/* store_pg.c: see store_pg.h. */\n'},
     'src/server/store_pg.c:1: the head only points to a header: say what this file is for\n'),
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
    print(f'{len(CASES)} trees')


main(sys.argv[1])
