#!/usr/bin/env python3
"""Checks the translations: complete, the same placeholders, the game's terms, matching manuals; and that the texts in
po/ are those of the sources. With the command, also checks its output: help that fits into 80 columns and is in the
manual, a whole game, and error messages, each in its language. usage: languages.py SOURCE_ROOT [--command PYRAMIDS]
[CODE...]; with codes, only these languages are checked, listed in po/LINGUAS or not."""
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile

ARGS = sys.argv[1:]
COMMAND = ''
if '--command' in ARGS:
    at = ARGS.index('--command')
    COMMAND = os.path.abspath(ARGS[at + 1])
    del ARGS[at:at + 2]
ROOT = os.path.abspath(ARGS[0])
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, 'scripts'))
import po

C_PLACE = re.compile(r'%(?:(\d+)\$)?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|z|j|t)?([a-zA-Z%])')
MESSAGE = 76                                  # columns of the line above the keys
JS_PLACE = re.compile(r'%\{(\w+)\}')


def lines_of(name):
    with open(os.path.join(ROOT, name), encoding='utf-8') as source:
        return [line.rstrip('\n') for line in source if line.strip() and not line.startswith('#')]


def short():
    """Texts with limited room: the number of letters for each."""
    return {line.split(' ', 1)[1]: int(line.split(' ', 1)[0]) for line in lines_of('po/short.txt')}


def listed():
    return ' '.join(line.split('#')[0] for line in lines_of('po/LINGUAS')).split()


def c_places(text):
    """Which value is used where, by number: {1: 's', 2: 'u'}; None if that is unclear."""
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
    """Errors in the placeholders of a form, compared with the text."""
    if any(name.endswith('.js') for name in entry.files):
        wanted, found = sorted(set(JS_PLACE.findall(text))), sorted(set(JS_PLACE.findall(form)))
        # The singular form may leave out its number.
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
    return any(c in ('*', code) and w == word.lower() and (plain == t or (t.endswith('...') and plain.startswith(t[:-3])))
        for c, w, t in exceptions)


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
            if entry.files in (['src/tui/table.c'],
                ['src/tui/remote.c']) and '%' not in form and '\n' not in form and len(form) > MESSAGE:
                faults.add(entry, f'{form!r} does not fit into a line of the terminal')
            if code == 'fr' and re.search(r' [:;!»](?=\s|$)|« | \?$', form):
                faults.add(entry, 'an ordinary blank where French has one that does not break')
            if code == 'es' and re.search(r'(^|[.:] )[^¿?]*[^\s?][?]$|(^|[.:] )[^¡!]*\w!$', form):
                faults.add(entry, 'a question or an exclamation without its sign at the beginning')
            bare = JS_PLACE.sub('', text)
            for english, accepted in glossary:
                said = english.search(bare)
                if said and code in accepted and not accepted[code].search(form) and not is_excepted(exceptions, code,
                    said[0], text):
                    faults.add(entry, f'without the word for {said[0]!r} (po/words.txt): {form[:60]!r}')
    done = subprocess.run(['msgfmt', '--check-format', '--check-domain', '-o', os.devnull, os.path.join(ROOT, path)],
        capture_output=True, text=True, check=False)
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
            with open(os.path.join(folder, 'po', name), encoding='utf-8') as fresh, open(os.path.join(ROOT, 'po', name),
                encoding='utf-8') as kept:
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
    for what, pattern in (('sections', r'^\.(SH|SS)\b'), ('subcommands', r'^\.SS (pyramids \w+)'),
        ('options', r'\\-\\-[a-z]+(?:\\-[a-z]+)*')):
        wanted, found = re.findall(pattern, english, re.M), re.findall(pattern, own, re.M)
        if what == 'options':
            wanted, found = sorted(set(wanted)), sorted(set(found))
        if wanted != found:
            odd = [w for w in wanted if w not in found] + [f for f in found if f not in wanted]
            faults.append(f'man/{code}/pyramids.1: {what} differ from man/pyramids.1: '
                f'{odd or f"{len(found)}, not {len(wanted)}"}')
    return faults


def check_list():
    """LINGUAS and the files."""
    faults = [f'po/LINGUAS: there is no po/{code}.po' for code in listed()
        if not os.path.exists(os.path.join(ROOT, f'po/{code}.po'))]
    if len(set(listed())) != len(listed()):
        faults.append('po/LINGUAS: a language stands there twice')
    for page in os.listdir(os.path.join(ROOT, 'man')):
        if os.path.isdir(os.path.join(ROOT, 'man', page)) and not os.path.exists(os.path.join(ROOT, f'po/{page}.po')):
            faults.append(f'man/{page}: there is no po/{page}.po')
    return faults


# The command's output. A text that is the same as in English, although it contains words, was not translated where it is
# printed.

SUBCOMMANDS = ('play', 'serve', 'sim', 'replay', 'legal', 'hint', 'analyze', 'verify', 'edition', 'export', 'import',
    'bench', 'copy', 'rules', 'admin', 'merge', 'edition check', 'edition show', 'edition generate')
COLUMNS = 80
PLAIN, RECORD = os.path.join(ROOT, 'tests/data/plain.edition'), os.path.join(ROOT, 'tests/data/plain-2.pyr')
WRONG = ('nonsense', 'sim --nonsense', 'sim --games', 'sim --games x', 'sim --bots nobody', 'sim --sprt 5', 'sim extra',
    'sim --json=yes', 'replay', 'legal x', 'hint x',
         'analyze', 'verify', 'edition check', 'edition nonsense', 'edition show classic 49', 'replay /missing',
         f'legal {RECORD} --edition {PLAIN} --seat 3', 'bench --players 1',
         'play --players 9', 'play --plain --seat 3', 'play --plain a b', 'play --server x', 'import', 'export extra',
         'serve extra', 'serve --tls-cert a', '--lang zz', 'play --server x --bots club',
         'play --new a', 'play --key K', 'play --players 2 --bots club,club', 'play --server http://x --table T --trust f',
         'sim --bots /missing', 'edition show 17 --text')


@functools.lru_cache(None)                    # English runs once per language
def say(code, *words, text=''):
    done = subprocess.run([COMMAND, *words], input=text, capture_output=True, text=True, check=False, timeout=120,
                          env=dict(os.environ, LANGUAGE=code, LC_ALL='C.UTF-8', USER='ursa', PYRAMIDS_LOCALEDIR=''))
    return done.stdout + done.stderr


def prose(text):
    """Lines with words, without input or stored text."""
    typed = re.compile(r'\s+(pyramids|head) |(pyramids-(record|edition) '
        r'1|(tag|player|deal|keep|show|reveal|mark|take|draw|points|score|winner) \S)|> ')
    lines = [re.sub(r"'[^']*'|--?[a-z-]+|\[[^]]*\]|\S*[:/.]\S+|\b[A-Z]+\b", ' ', line) for line in text.split('\n')
        if not typed.match(line)]
    return [line.strip() for line in lines if len(re.findall(r'[^\W\d_]{3,}', line)) > 2]


def in_english(own, english):
    known = set(prose(english))
    return [f'in English: {line}' for line in prose(own) if line in known]


def check_help(code):
    faults = []
    with open(os.path.join(ROOT, 'man/pyramids.1'), encoding='utf-8') as source:
        manual = source.read().replace('\\-', '-')
    for name in ('', *SUBCOMMANDS):
        text, english = say(code, *name.split(), '--help'), say('en', *name.split(), '--help')
        faults += [f'pyramids {name} --help: {len(line)} columns: {line}' for line in text.split('\n')
            if len(line) > COLUMNS]
        if code != 'en':
            faults += [f'pyramids {name} --help: {fault}' for fault in in_english(text, english)]
        options = set(re.findall(r'^  (?:-\w, )?(--[a-z-]+)', text, re.M))
        if len(options) != len(set(re.findall(r'^  (?:-\w, )?(--[a-z-]+)', english, re.M))) or (not options
            and name not in ('', 'edition')):
            faults.append(f'pyramids {name} --help: options {sorted(options)}')
        if code == 'en' and name:
            sections = [part.split('\n.SH')[0] for part in manual.split('\n.SS ') if part.startswith(f'pyramids {name}')]
            section = '\n'.join(sections)
            faults += [f'man/pyramids.1: {option} of pyramids {name} is missing'
                for option in sorted(options - {'--help', '--lang'}) if not re.search(rf'{option}(?![\w-])', section)]
    return faults


def whole_game():
    """The input of a whole game: always the first of the listed choices."""
    typed = []
    game = subprocess.Popen([COMMAND, 'play', '--plain', '--seed', '5', '--bots', 'novice', '--players', '3'],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                            env=dict(os.environ, LANGUAGE='en', LC_ALL='C.UTF-8'))
    while True:
        game.stdin.write('?\n')
        game.stdin.flush()
        first = None
        for line in game.stdout:
            if re.match(r'(\d+[: ]|take|draw|-$)', line) and first is None:
                first = line.strip()
            if line.startswith('(') or line.startswith('The game is over'):
                break
        if first is None:
            break
        typed.append(first)
        game.stdin.write(first + '\n')
        if len(typed) > 300:
            break
    game.kill()
    game.wait()
    return typed


GAME = []


def check_game(code):
    """From the first choice to the scores, with all questions that can be asked meanwhile; each line in the language of the
    player."""
    if not GAME:
        GAME.extend(whole_game())
    text = '\n'.join(['help', 'nonsense', '17:z9', '17:a1a1', '1 1', 'save', 'undo', *GAME[:9], 'players', 'look', 'undo',
        GAME[8], '17:a1b3', 'take 77', *GAME[9:]]) + '\n'
    words = ('play', '--plain', '--seed', '5', '--bots', 'novice', '--players', '3')
    own, english = say(code, *words, text=text), say('en', *words, text=text)
    faults = in_english(own, english)
    if len(own.split('\n')) < len(english.split('\n')) or 'ursa' not in own:
        faults.append('the game went another way')
    if not re.search(r'^The game is over\.$', english, re.M):
        faults.append(f'the game does not end: {english[-300:]}')
    return faults


def check_wrong(code):
    faults = []
    for words in WRONG:
        own, english = say(code, *words.split()), say('en', *words.split())
        faults += [f'pyramids {words}: {fault}' for fault in in_english(own, english)]
        if not own or own == english:
            faults.append(f'pyramids {words}: {own!r}')
    with open(RECORD, encoding='utf-8') as source:
        record = source.read()
    for old, new in (('mark 1 5:b1', 'mark 1 5:d1'), ('edition plain', 'edition other'), ('reveal', 'reveal XX'),
        ('winner 1', 'winner 2'), ('deal 1', 'deal 9')):
        own, english = (say(c, 'replay', '-', '--edition', PLAIN, text=record.replace(old, new, 1)) for c in (code, 'en'))
        if own == english or not own:
            faults.append(f'{new}: {own!r}')
    return faults


def check_numbers(code):
    """Reports for people have a decimal comma in these languages, those for programs a point."""
    faults = []
    for words in (('sim', '--games', '8', '--bots', 'greedy,random'), ('hint', '-', '--seat', '1', '--playouts', '100',
        '--edition', PLAIN), ('bench', '--games', '30')):
        with open(RECORD, encoding='utf-8') as source:
            begun = source.read().split('reveal')[0] + 'reveal I4\n'
        text = say(code, *words, text=begun)
        if not re.search(r'\d,\d', text) or re.search(r'\d\.\d', text):
            faults.append(f'pyramids {words[0]}: {text}')
        if ',' in re.sub(r', |,(?=")|"[^"]*"', '', say(code, *words, '--json', text=begun)):
            faults.append(f'pyramids {words[0]} --json has a comma in a number')
    return faults


def main():
    codes = ARGS[1:]
    cases = [] if codes else [('the texts in po/ are those of the sources', check_sources),
        ('po/LINGUAS lists what there is', check_list)]
    for code in codes or listed():
        cases.append((f'{code}: complete and sound', lambda code=code: check_language(code)))
        cases.append((f'{code}: the manual', lambda code=code: check_manual(code)))
        if COMMAND:
            for name, check in (('help', check_help), ('a whole game', check_game), ('wrong input', check_wrong),
                ('numbers', check_numbers)):
                cases.append((f'{code}: {name}', lambda code=code, check=check: check(code)))
    if COMMAND and not codes:
        cases.append(('en: help', lambda: check_help('en')))
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
