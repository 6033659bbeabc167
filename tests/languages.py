#!/usr/bin/env python3
"""Holds the translations to what they promise: complete, the same placeholders, the game's words, manuals alike; and that the texts in po/ are those
of the sources. usage: languages.py SOURCE_ROOT [CODE...]; with codes, only these languages are looked at, listed in po/LINGUAS or not."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, 'scripts'))
import po

C_PLACE = re.compile(r'%(?:(\d+)\$)?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|z|j|t)?([a-zA-Z%])')
JS_PLACE = re.compile(r'%\{(\w+)\}')


def lines_of(name):
    with open(os.path.join(ROOT, name), encoding='utf-8') as source:
        return [line.rstrip('\n') for line in source if line.strip() and not line.startswith('#')]


def short():
    """Texts with room for so many letters."""
    return {line.split(' ', 1)[1]: int(line.split(' ', 1)[0]) for line in lines_of('po/short.txt')}


def listed():
    return ' '.join(line.split('#')[0] for line in lines_of('po/LINGUAS')).split()


def c_places(text):
    """Which value goes where, by number: {1: 's', 2: 'u'}; None if it cannot be told."""
    places, number = {}, 0
    for match in C_PLACE.finditer(text):
        position, _, _, precision, size, kind = match.groups()
        if kind == '%':
            continue
        number += 1
        if precision == '*':
            places[number] = '*'
            number += 1
        at = int(position) if position else number
        if places.get(at, (size or '') + kind) != (size or '') + kind:
            return None
        places[at] = (size or '') + kind
    return places


def place_fault(entry, form, text):
    """What is wrong with the placeholders of a form, made for the text."""
    if any(name.endswith('.js') for name in entry.files):
        wanted, found = sorted(set(JS_PLACE.findall(text))), sorted(set(JS_PLACE.findall(form)))
        # The form for one thing may leave out its number.
        if wanted != found and not (entry.plural and [n for n in wanted if n != 'n'] == found):
            return f'placeholders {found}, not {wanted}'
        if len(JS_PLACE.findall(form)) != len(found) and len(JS_PLACE.findall(text)) == len(wanted):
            return 'a placeholder stands twice'
    if 'c-format' in entry.flags:
        wanted, found = c_places(text), c_places(form)
        if wanted != found:
            return f'placeholders {found}, not {wanted}'
        positions = [bool(m[1]) for m in C_PLACE.finditer(form) if m[6] != '%']
        if any(positions) and not all(positions):
            return 'some placeholders are numbered, some are not'
    return ''


def edges(text):
    return re.match(r'\s*', text)[0], re.search(r'\s*$', text)[0]


def words():
    """(pattern of the English text, {code: pattern of the translation})."""
    for line in lines_of('po/words.txt'):
        english, rest = re.split(r'  +', line, maxsplit=1)
        parts = re.split(r'\b([a-z]{2}(?:_[A-Z]+)?): ', rest)
        accepted = {code: re.compile(forms.strip(), re.I) for code, forms in zip(parts[1::2], parts[2::2])}
        yield re.compile(rf'\b{english}\b', re.I), accepted


def excepted():
    found = set()
    for line in lines_of('po/words-not.txt'):
        code, word, text = re.match(r'(\S+) ([^:]+): (.*)', line).groups()
        found.add((code, word.lower(), text))
    return found


def is_excepted(exceptions, code, word, text):
    plain = text.replace('\n', ' ')
    return any(c in ('*', code) and w == word.lower() and (plain == t or (t.endswith('...') and plain.startswith(t[:-3]))) for c, w, t in exceptions)


class Faults:
    def __init__(self, path):
        self.path, self.list = path, []

    def add(self, entry, words_):
        self.list.append(f'{self.path}:{entry.line}: {words_}: {entry.id[:60]!r}')


def check_language(code):
    path = f'po/{code}.po'
    entries, obsolete = po.read(os.path.join(ROOT, path))
    faults = Faults(path)
    header = po.header(entries)
    if header.get('Language') != code or 'charset=UTF-8' not in header.get('Content-Type', ''):
        faults.list.append(f'{path}: the header wants Language: {code} and charset=UTF-8')
    forms, _ = po.plural_forms(entries)
    if obsolete:
        faults.list.append(f'{path}: {obsolete} obsolete entries; scripts/update-po drops them')
    glossary, exceptions, limits = list(words()), excepted(), short()
    for entry in entries:
        if not entry.id:
            continue
        if entry.is_fuzzy:
            faults.add(entry, 'fuzzy')
        if not all(entry.forms):
            faults.add(entry, 'not translated')
            continue
        if len(entry.forms) != (forms if entry.plural else 1):
            faults.add(entry, f'{len(entry.forms)} forms, not {forms}')
        for index, form in enumerate(entry.forms):
            text = entry.plural if index and entry.plural else entry.id
            fault = place_fault(entry, form, text)
            if fault:
                faults.add(entry, fault)
            if edges(form) != edges(text):
                faults.add(entry, 'other blanks or line ends at the edges')
            if sum(c.isalpha() for c in form) > limits.get(entry.id, 1000):
                faults.add(entry, f'{form!r} has more than {limits[entry.id]} letters (po/short.txt)')
            bare = JS_PLACE.sub('', text)
            for english, accepted in glossary:
                said = english.search(bare)
                if said and code in accepted and not accepted[code].search(form) and not is_excepted(exceptions, code, said[0], text):
                    faults.add(entry, f'without the word for {said[0]!r} (po/words.txt): {form[:60]!r}')
    done = subprocess.run(['msgfmt', '--check-format', '--check-domain', '-o', os.devnull, os.path.join(ROOT, path)], capture_output=True, text=True, check=False)
    if done.returncode:
        faults.list += done.stderr.replace(ROOT + '/', '').strip().split('\n')
    return faults.list


def check_sources():
    """What scripts/update-po would change."""
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ('po', 'scripts', 'src', 'web'):
            shutil.copytree(os.path.join(ROOT, name), os.path.join(folder, name))
        done = subprocess.run([os.path.join(folder, 'scripts/update-po')], capture_output=True, text=True, check=False)
        if done.returncode:
            return [done.stderr]
        for name in sorted(os.listdir(os.path.join(folder, 'po'))):
            with open(os.path.join(folder, 'po', name), encoding='utf-8') as fresh, open(os.path.join(ROOT, 'po', name), encoding='utf-8') as kept:
                if fresh.read() != kept.read():
                    faults.append(f'po/{name} is not up to date with the sources: run scripts/update-po')
    return faults


def check_manual(code):
    """The same sections and options as the English manual, in the same order."""
    path = os.path.join(ROOT, 'man', code, 'pyramids.1')
    if not os.path.exists(path):
        return [f'man/{code}/pyramids.1 is missing']
    with open(os.path.join(ROOT, 'man/pyramids.1'), encoding='utf-8') as one, open(path, encoding='utf-8') as other:
        english, own = one.read(), other.read()
    faults = []
    for what, pattern in (('sections', r'^\.(SH|SS)\b'), ('subcommands', r'^\.SS (pyramids \w+)'), ('options', r'\\-\\-[a-z]+(?:\\-[a-z]+)*')):
        wanted, found = re.findall(pattern, english, re.M), re.findall(pattern, own, re.M)
        if what == 'options':
            wanted, found = sorted(set(wanted)), sorted(set(found))
        if wanted != found:
            odd = [w for w in wanted if w not in found] + [f for f in found if f not in wanted]
            faults.append(f'man/{code}/pyramids.1: {what} differ from man/pyramids.1: {odd or f"{len(found)}, not {len(wanted)}"}')
    return faults


def check_list():
    """LINGUAS and the files."""
    faults = [f'po/LINGUAS: there is no po/{code}.po' for code in listed() if not os.path.exists(os.path.join(ROOT, f'po/{code}.po'))]
    if len(set(listed())) != len(listed()):
        faults.append('po/LINGUAS: a language stands there twice')
    for page in os.listdir(os.path.join(ROOT, 'man')):
        if os.path.isdir(os.path.join(ROOT, 'man', page)) and not os.path.exists(os.path.join(ROOT, f'po/{page}.po')):
            faults.append(f'man/{page}: there is no po/{page}.po')
    return faults


def main():
    codes = sys.argv[2:]
    cases = [] if codes else [('the texts in po/ are those of the sources', check_sources), ('po/LINGUAS lists what there is', check_list)]
    for code in codes or listed():
        cases.append((f'{code}: complete and sound', lambda code=code: check_language(code)))
        cases.append((f'{code}: the manual', lambda code=code: check_manual(code)))
    print(f'1..{len(cases)}')
    bad = 0
    for number, (name, check) in enumerate(cases, 1):
        faults = check()
        bad += bool(faults)
        for fault in faults:
            print('# ' + fault)
        print(f'{"not " if faults else ""}ok {number} - {name}')
    sys.exit(bad > 0)


if __name__ == '__main__':
    main()
