#!/usr/bin/env python3
"""The output of every command with --json matches its schema in docs/schemas, and docs/json.md documents every field
of it. usage: schemas.py PYRAMIDS FAIRGAME SOURCE_ROOT"""
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

import cases

# others use the checker only
COMMAND, FAIRGAME, ROOT = map(os.path.abspath, sys.argv[1:4] if __name__ == '__main__' else ('', '', ''))
CLASSIC, PLAIN = os.path.join(ROOT, 'editions/classic.edition'), os.path.join(ROOT, 'tests/data/plain.edition')
RECORD = os.path.join(ROOT, 'tests/data/plain-2.pyr')
SCHEMAS = os.path.join(ROOT, 'docs/schemas')
ENV = dict(os.environ, LC_ALL='C.UTF-8', LANGUAGE='en')

TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'null': type(None)}
KNOWN = {'$schema', 'title', 'description', 'type', 'properties', 'required', 'additionalProperties', 'items', 'minItems',
    'maxItems', 'enum',
         'const', 'anyOf', 'pattern', 'minimum', 'maximum'}


def read(path):
    with open(path, encoding='utf-8') as source:
        return source.read()


def is_type(value, name):
    if name in ('integer', 'number'):
        return isinstance(value, int if name == 'integer' else (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def same(a, b):
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def check(value, schema, at='$'):
    """The errors of a value: implements the part of JSON Schema that our schemas use, and raises an error for any other
    part. """
    unknown = set(schema) - KNOWN
    assert not unknown, f'{at}: the schema uses {unknown}'
    if 'anyOf' in schema:
        tried = [check(value, part, at) for part in schema['anyOf']]
        return [] if any(not faults for faults in tried) else min(tried, key=len)
    if 'const' in schema:
        return [] if same(value, schema['const']) else [f'{at}: {value!r} is not {schema["const"]!r}']
    if 'enum' in schema and not any(same(value, item) for item in schema['enum']):
        return [f'{at}: {value!r} is none of {schema["enum"]}']
    types = schema.get('type', [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, name) for name in types):
        return [f'{at}: {value!r} is not {" or ".join(types)}']
    faults = []
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not schema.get('minimum', value) <= value <= schema.get('maximum', value):
            faults.append(f'{at}: {value} is out of range')
    if isinstance(value, str) and not re.search(schema.get('pattern', ''), value):
        faults.append(f'{at}: {value!r} does not match {schema["pattern"]}')
    if isinstance(value, list):
        if not schema.get('minItems', 0) <= len(value) <= schema.get('maxItems', len(value)):
            faults.append(f'{at}: {len(value)} elements')
        for i, item in enumerate(value):
            faults += check(item, schema.get('items', {}), f'{at}[{i}]')
    if isinstance(value, dict):
        known = schema.get('properties', {})
        faults += [f'{at}: {name} is missing' for name in schema.get('required', []) if name not in value]
        faults += [f'{at}: {name} is not in the schema' for name in value if name not in known
            and schema.get('additionalProperties') is False]
        for name in value.keys() & known.keys():
            faults += check(value[name], known[name], f'{at}.{name}')
    return faults


def outputs(name, *words, text='', code=0):
    """Runs a command with --json and checks each line of output against a schema. Code None: either exit code."""
    done = subprocess.run([COMMAND, *words, '--json'], input=text.encode(), capture_output=True, env=ENV, timeout=200,
        check=False)
    assert done.returncode in ((0, 1) if code is None else (code,)), (words, done.returncode, done.stderr)
    lines = done.stdout.decode().splitlines()
    assert lines, words
    schema = json.loads(read(os.path.join(SCHEMAS, name + '.json')))
    values = [json.loads(line) for line in lines]
    for value in values:
        faults = check(value, schema)
        assert not faults, (words, faults[:5])
    return values


def case_validator():
    """The checker itself finds errors."""
    schema = {'type': 'object', 'properties': {'a': {'type': ['integer', 'null'], 'minimum': 1},
        'b': {'anyOf': [{'const': 'x'}, {'type': 'array', 'items': {
        'type': 'string', 'pattern': '^[a-e]$'}, 'minItems': 1}]}, 'c': {'enum': ['x', None]}}, 'required': ['a'],
        'additionalProperties': False}
    for good in ({'a': 1}, {'a': None, 'b': 'x'}, {'a': 2, 'b': ['a', 'e'], 'c': None}):
        assert not check(good, schema), check(good, schema)
    for bad in ({}, {'a': 0}, {'a': True}, {'a': 1.5}, {'a': '1'}, {'a': 1, 'b': []}, {'a': 1, 'b': ['f']},
        {'a': 1, 'b': 'y'}, {'a': 1, 'c': 1}, {'a': 1, 'd': 1}, []):
        assert check(bad, schema), bad
    try:
        check(1, {'oneOf': []})
    except AssertionError:
        return
    raise AssertionError('an unknown keyword is accepted')


def case_sim():
    outputs('sim', 'sim', '--bots', 'greedy,random', '--games', '1')
    outputs('sim', 'sim', '--bots', 'greedy,random', '--games', '40')
    outputs('sim', 'sim', '--bots', 'club,greedy,random', '--games', '61', '--independent')
    for games in ('6', '2000'):
        assert 'sprt' in outputs('sim', 'sim', '--bots', 'greedy,random', '--games', games, '--sprt', '0,20')[0]


def case_replay():
    lines = read(RECORD).split('\n')
    for count in [*range(1, 16), 40, 80, len(lines)]:
        outputs('replay', 'replay', '-', '--edition', PLAIN, text='\n'.join(lines[:count]) + '\n')
    for count in range(1, 12):
        for other in ('nonsense', lines[count] + ' x', 'mark 1 5:d1', ''):
            bad = '\n'.join(lines[:count] + [other] + lines[count:]) + '\n'
            outputs('replay', 'replay', '-', '--edition', PLAIN, text=bad, code=0 if not other else 1)
    outputs('replay', 'replay', RECORD, code=1)
    outputs('replay', 'replay', os.path.join(ROOT, 'nothing'), ROOT, RECORD, '--edition', PLAIN, code=1)
    outputs('replay', 'replay', RECORD, '--edition', 'nosuch', code=1)
    outputs('replay', 'replay', '-', text='', code=1)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([COMMAND, 'sim', '--players', '4', '--bots', 'random', '--games', '200', '--records', folder],
            capture_output=True, env=ENV, check=True)
        games = outputs('replay', 'replay', '-', text=''.join(read(os.path.join(folder, name))
            for name in sorted(os.listdir(folder))))
        assert any(game['tie'] for game in games) and not all(game['tie'] for game in games)


def case_choices():
    lines = read(RECORD).split('\n')
    kinds, effects = set(), set()
    for count in (4, 6, 9, 10, 11, 18, *range(20, len(lines), 7), len(lines)):
        text = '\n'.join(lines[:count]) + '\n'
        for seat in '12':
            outputs('legal', 'legal', '-', '--seat', seat, '--edition', PLAIN, text=text)
            for hint in outputs('hint', 'hint', '-', '--seat', seat, '--edition', PLAIN, '--playouts', '100', '--top', '96',
                text=text)[0]:
                kinds |= {step['kind'] for step in hint['steps']}
                effects |= {effect['code'] for effect in hint['effects']}
    assert kinds >= {'keep', 'mark', 'draw', 'take'}, kinds
    assert effects >= {'way', 'pyramid', 'rubies', 'emeralds', 'torch', 'skulls'}, effects


def case_analyze():
    lines = read(RECORD).split('\n')
    for count in (6, 7, 11, 40, len(lines)):
        outputs('analyze', 'analyze', '-', '--edition', PLAIN, '--playouts', '100', text='\n'.join(lines[:count]) + '\n')


def case_verify():
    record = subprocess.run([FAIRGAME, PLAIN, hashlib.sha256(b'a').hexdigest(), hashlib.sha256(b'b').hexdigest(), '-'],
        capture_output=True, check=True,
                            text=True).stdout
    good, = outputs('verify', 'verify', '-', '--edition', PLAIN, text=record)
    assert good['good'] and good['numbers'][1] is None
    outputs('verify', 'verify', '-', '--edition', PLAIN, text=record * 2)
    secret = re.search(r'^tag secret .*\n', record, re.M).group(0)
    for bad in (record.replace(secret, ''), record.replace(secret, secret.replace(secret[11:20], '000000000')), read(RECORD),
        'nonsense', '',
                record.replace('tag secret', 'tag secret x'), re.sub(r'^winner.*\n', '', record, flags=re.M)):
        assert not outputs('verify', 'verify', '-', '--edition', PLAIN, text=bad, code=1)[0]['good']
    outputs('verify', 'verify', '-', text=record, code=1)


def case_edition():
    outputs('edition-check', 'edition', 'check', PLAIN, CLASSIC)
    lines = read(PLAIN).split('\n')
    refused = 0
    for line in range(0, 60):
        for other in ('', 'x', lines[line] + 'x', lines[line] + ' 1'):
            text = '\n'.join(lines[:line] + [other] + lines[line + 1:])
            done, = outputs('edition-check', 'edition', 'check', '-', text=text, code=None)
            refused += 'error' in done
    assert refused > 150, refused
    outputs('edition-check', 'edition', 'check', ROOT, os.path.join(ROOT, 'nothing'), code=1)


def case_bad_files():
    """A program gets JSON for an unusable file, whatever is wrong with it, and whatever its name is."""
    lines = read(RECORD).split('\n')
    commands = (('legal', ['--seat', '1']), ('hint', ['--seat', '1', '--playouts', '100']),
        ('analyze', ['--playouts', '100']))
    with tempfile.TemporaryDirectory() as folder:
        odd = os.path.join(os.fsencode(folder), b'say "\xff\n".pyr')
        missing = os.path.join(folder, 'missing.pyr')
        for name, words in commands:
            def error(file, *more, text='', code=1):
                bad, = outputs(name, name, file, *words, *more, text=text, code=code)
                return bad['file'], bad['error']['code'], bad['error']['line']
            assert error(missing) == (missing, 'file', None)
            assert error(ROOT) == (ROOT, 'file', None)
            assert error(odd) == (folder + '/say "\ufffd\n".pyr', 'file', None)
            assert error(RECORD) == (RECORD, 'edition', None)
            assert error(RECORD, '--edition', 'nosuch') == (RECORD, 'edition', None)
            assert error('-', '--edition', PLAIN, text='nonsense\n') == ('<stdin>', 'text_header', 1)
            assert error('-', '--edition', PLAIN, text='\n'.join(lines[:9] + ['mark 1 5:d1'] + lines[9:]))[2] == 10
        for name, words in commands[:2]:
            bad, = outputs(name, name, RECORD, '--seat', '4', *words[2:], '--edition', PLAIN, code=1)
            assert bad['error']['code'] == 'seat' and bad['error']['message'] == f'{RECORD}: no seat 4 in this game', bad
        bad, = outputs('analyze', 'analyze', '-', '--edition', PLAIN, text='\n'.join(lines[:4]) + '\n', code=1)
        assert bad['error']['code'] == 'dealing', bad
        for file in (missing, ROOT, odd):
            bad, = outputs('verify', 'verify', file, code=1)
            assert (bad['good'], bad['code'], bad['line'], bad['game']) == (False, 'file', 0, 1) and bad['reason'], bad
        # The same in every language.
        done = subprocess.run([COMMAND, 'legal', missing, '--seat', '1', '--json', '--lang', 'de'], capture_output=True,
            env=ENV, check=False)
        assert json.loads(done.stdout)['error']['message'] == f'{missing}: No such file or directory', done


def case_failures():
    """A command that reads no record reports in JSON why it failed, and only once."""
    with tempfile.TemporaryDirectory() as folder:
        missing = os.path.join(folder, 'missing')
        for name, code, words in (('sim', 'edition', ['sim', '--games', '1', '--edition', missing]),
                                  ('sim', 'edition', ['sim', '--games', '1', '--edition', RECORD]),
                                  ('sim', 'bot', ['sim', '--games', '1', '--bots', missing]),
                                  ('sim', 'file', ['sim', '--games', '1', '--records', os.path.join(missing, 'x')]),
                                  ('bench', 'edition', ['bench', '--games', '1', '--edition', missing]),
                                  ('merge', 'file', ['merge', missing]), ('merge', 'file', ['merge', RECORD]),
                                  ('rules', 'rule', ['rules', 'R99']),
                                  ('daily-server', 'server', ['daily', '--server', 'http://127.0.0.1:1']),
                                  ('daily-server', 'file', ['daily', '--server', 'https://x.test', '--trust', missing])):
            failed, = outputs(name, *words, code=1)
            assert failed['error']['code'] == code and failed['error']['message'], (words, failed)
        assert outputs('sim', 'sim', '--games', '1', '--bots', '/bin/true', code=1)[0]['bots'][0]['faults']


def case_others():
    for mode in ([], ['--batch'], ['--env']):
        outputs('bench', 'bench', '--games', '50', *mode)
    for words in ([], ['R1', 'E1'], ['torch'], ['--lang', 'pt']):
        outputs('rules', 'rules', *words)
    for words in ([], ['--date', '2026-11-18'], ['--date', '2026-11-18', '--secret', '0f' * 32]):
        assert outputs('daily', 'daily', *words)[0]['practice'] == ('--secret' not in words)
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, 'x.db')
        outputs('import', 'import', '--database', database, '--edition', PLAIN, RECORD)
        outputs('import', 'import', '--database', database, '--edition', PLAIN, RECORD, CLASSIC, code=1)


def case_serve():
    with tempfile.TemporaryDirectory() as folder:
        base, path = os.path.join(folder, 'x.db'), os.path.join(folder, 'x.conf')
        good, = outputs('serve', 'serve', '--check', '--database', base, '--edition', PLAIN)
        assert good['good'] and [one['level'] for one in good['findings']] == ['good', 'good'], good
        with open(path, 'w', encoding='utf-8') as file:
            file.write(f'port = x\nedition = {base}\ntls-cert = {base}\ntls-key = {base}\ndatabase = {folder}\n')
        bad, = outputs('serve', 'serve', '--check', '--config', path, '--lang', 'de', code=1)
        assert [(one['check'], one['option'], one['line']) for one in bad['findings']] == [('options', 'port', 1),
            ('edition', 'edition', 2), ('certificate', 'tls-cert', 3), ('database', 'database', 5)], bad
        assert bad['findings'][0]['message'] == "'x' is not a number from 0 to 65535", bad


def case_puzzles():
    with tempfile.TemporaryDirectory() as folder:
        ENV['XDG_DATA_HOME'] = folder
        for number in range(1, 40):
            told, = outputs('puzzle', 'puzzle', '--number', str(number), '--hint')
            listed = subprocess.run([COMMAND, 'legal', '-', '--seat', str(told['puzzle']['seat'])], capture_output=True,
                input=told['record'], text=True, env=ENV, check=True).stdout.splitlines()
            outputs('puzzle', 'puzzle', '--number', str(number), '--answer', listed[number % len(listed)])
        outputs('puzzle', 'puzzle', '--number', '1', '--answer', 'nonsense', code=1)
        del ENV['XDG_DATA_HOME']


def fields(schema, prefix=''):
    """Every field of a schema, as docs/json.md writes it: bots[].name."""
    for part in schema.get('anyOf', []):
        yield from fields(part, prefix)
    for name, part in schema.get('properties', {}).items():
        path = f'{prefix}.{name}' if prefix else name
        yield path, part
        yield from fields(part, path)
    if 'items' in schema:
        yield from fields(schema['items'], prefix + '[]')


def case_documented():
    """docs/json.md has a table per schema, with its fields and no others; every command with --json has a schema."""
    text = read(os.path.join(ROOT, 'docs/json.md'))
    sections = {re.search(r'\(schemas/([\w-]+)\.json\)', part).group(1): part
        for part in re.split(r'^## ', text, flags=re.M)[1:]}
    names = sorted(name[:-5] for name in os.listdir(SCHEMAS))
    assert sorted(sections) == names, (sorted(sections), names)
    for name in names:
        schema = json.loads(read(os.path.join(SCHEMAS, name + '.json')))
        told = set(re.findall(r'^\| `([^`]+)` \|', sections[name], re.M))
        wanted = {path for path, _ in fields(schema)}
        assert told == wanted, (name, told ^ wanted)
        assert all('description' in part or 'const' in part for _, part in fields(schema)), name
    listed = re.findall(r'^  ([a-z]+) ', subprocess.run([COMMAND, '--help'], capture_output=True, text=True, env=ENV,
        check=True).stdout, re.M)
    for command in listed:
        parts = (['edition', 'check'], ['edition', 'show'], ['edition', 'generate']) if command == 'edition' else ([command],
            )
        if command == 'admin':                   # one help for all; tests/admin.py holds answers against the schemas
            parts = [['admin', name] for name in re.findall(r'^    \{ "(\w+)", \d, \d,', read(os.path.join(ROOT,
                'src/cli/admin.c')), re.M)]
            assert len(parts) == 12, parts
        for words in parts:
            has = re.search(r'^ +--json', subprocess.run([COMMAND, *words, '--help'], capture_output=True, text=True,
                env=ENV, check=True).stdout, re.M)
            assert bool(has) == ('-'.join(words) in names), (words, names)
    # The codes of errors are those of the engine.
    codes = re.findall(r'^    X\((\w+), (\w+),', read(os.path.join(ROOT, 'src/engine/include/pyramids/err.h')), re.M)
    assert len(codes) > 60 and all(big.lower() == small for big, small in codes)


if __name__ == '__main__':
    cases.main(globals(), '')
