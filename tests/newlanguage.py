#!/usr/bin/env python3
"""Adds a language to a copy of the sources with exactly the commands from docs/translating.md, builds it and checks
the result. usage: newlanguage.py SOURCE_ROOT"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(sys.argv[1])
CODE, NAME = 'pl', 'Polski'
WORDS = {'English': NAME, '0.5': '0,5', 'Play': 'Zagraj', 'Rules': 'Zasady', 'Settings': 'Ustawienia',
    'show this help': 'pokaż tę pomoc'}
FORMS = {'(%lu legal choice)\n': ['(%lu dozwolony wybór)\n', '(%lu dozwolone wybory)\n', '(%lu dozwolonych wyborów)\n']}


def steps():
    """The commands of the section, in their order."""
    with open(os.path.join(ROOT, 'docs/translating.md'), encoding='utf-8') as source:
        section = source.read().split('## A language in ten minutes\n')[1].split('\n## ')[0]
    return section, [line.strip() for line in section.split('\n') if line.startswith('       ') and line.strip()]


def run(folder, command, **options):
    env = dict(os.environ, LC_ALL='C.UTF-8')
    env.pop('LANGUAGE', None)
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False, env=env, **options)
    assert done.returncode == 0, f'{command}: {done.stdout[-1500:]}{done.stderr[-1500:]}'
    return done.stdout


def translate(path):
    """Step 2, shortened: an editor fills in each msgstr."""
    with open(path, encoding='utf-8') as source:
        text = source.read()
    assert f'"Language: {CODE}\\n"' in text and 'nplurals=3' in text, text[:600]
    for english, own in WORDS.items():
        assert f'\nmsgid "{english}"\nmsgstr ""\n' in text, english
        text = text.replace(f'\nmsgid "{english}"\nmsgstr ""\n', f'\nmsgid "{english}"\nmsgstr "{own}"\n')
    for english, forms in FORMS.items():
        quoted = english.replace('\n', '\\n')
        start = text.index(f'\nmsgid "{quoted}"\n')
        end = text.index('\n\n', start)
        entry = text[start:end]
        for number, form in enumerate(forms):
            entry = entry.replace(f'msgstr[{number}] ""', 'msgstr[%d] "%s"' % (number, form.replace('\n', '\\n')))
        text = text[:start] + entry + text[end:]
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def main():
    section, commands = steps()
    assert commands == [f'scripts/update-po {CODE}', 'make', f'build/src/cli/pyramids --lang {CODE} --help',
        f'build/src/cli/pyramids serve --lang {CODE}'], commands
    assert f'Add a line `{CODE}` to `po/LINGUAS`' in section and all(f'`{word}`' in section
        for word in ('English', '0.5', 'Play', 'Rules', 'Settings'))
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, 'pyramids')
        shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns('build*', '.git', 'node_modules',
            '__pycache__'))
        run(copy, commands[0])
        translate(os.path.join(copy, f'po/{CODE}.po'))
        with open(os.path.join(copy, 'po/LINGUAS'), 'a', encoding='utf-8') as file:
            file.write(f'{CODE}\n')
        # Files of the page that stay the same need not be packed again: the packed ones are named after their content.
        packed = os.path.join(os.environ.get('PYR_BUILD', ''), 'web/packed')
        if os.path.isdir(packed):
            shutil.copytree(packed, os.path.join(copy, 'build/web/packed'))
        # What `make` does, optimised less.
        run(copy, 'meson setup build -Dtests=false -Doptimization=0 && ninja -C build src/cli/pyramids')
        assert WORDS['show this help'] in run(copy, 'build/src/cli/pyramids play --lang pl --help')
        assert 'Usage' in run(copy, commands[2]) and f'{CODE} ({NAME})' in subprocess.run([f'{copy}/build/src/cli/pyramids',
            '--lang', 'zz'], capture_output=True, text=True, check=False).stderr
        # Three plural forms, and the decimal comma.
        for choices, word in ((1, 'dozwolony wybór'), (6, 'dozwolonych wyborów')):
            typed = '? 9 14\n' if choices == 1 else '?\n'
            assert f'({choices} {word})' in run(copy, 'build/src/cli/pyramids play --plain --seed 3 --lang pl', input=typed)
        assert re.search(r'\d,\d', run(copy, 'build/src/cli/pyramids sim --games 4 --lang pl'))
        if os.path.exists(os.path.join(copy, 'build/web/site')):
            with open(os.path.join(copy, 'build/web/site/languages.js'), encoding='utf-8') as page, \
                    open(os.path.join(copy, f'build/web/site/lang/{CODE}.txt'), encoding='utf-8') as texts:
                assert f'["{CODE}", "{NAME}"' in page.read() and WORDS['Play'] in texts.read()
        # As the page describes: the tests require all of it.
        done = subprocess.run([sys.executable, os.path.join(copy, 'tests/languages.py'), copy], capture_output=True,
            text=True, check=False)
        assert done.returncode == 1 and f'po/{CODE}.po:' in done.stdout and 'not translated' in done.stdout, done.stdout[
            -500:]
        assert re.search('^ok 1 - the texts', done.stdout, re.M), done.stdout[:500]


if __name__ == '__main__':
    main()
