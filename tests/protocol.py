#!/usr/bin/env python3
"""Compares docs/protocol.md and docs/openapi.json with the server: their examples are sent, the answers have the
documented form, and their lists match the code. usage: protocol.py PYRAMIDS SOURCE_ROOT [CASE]"""
import datetime
import json
import os
import random
import re
import time

import wire
from wire import Server, Visitor, play

PAGE = wire.read(os.path.join(wire.ROOT, 'docs/protocol.md'))
OPENAPI = json.loads(wire.read(os.path.join(wire.ROOT, 'docs/openapi.json')))


def source(name):
    return wire.read(os.path.join(wire.ROOT, 'src/server', name))


def section(title):
    """A section of the page, to the next heading."""
    match = re.search(rf'^#+ {re.escape(title)}$(.*?)(?=^##+ |\Z)', PAGE, re.M | re.S)
    assert match, title
    return match.group(1)


def rows(text):
    """The cells of a table, without its head."""
    found = [[cell.strip() for cell in line.strip('|').split('|')] for line in text.splitlines() if line.startswith('|')]
    return [row for row in found[2:]]


def routes():
    # A name is one component of the address, with any characters.
    return {(method, path.replace('**', '*')) for method, path in re.findall(r'\{ METHOD_(\w+), "([^"]+)", \w+, \w+ \}',
        source('http.c'))}


# The lists of the page.

def case_errors(_):
    code = {name: int(status) for name, status in re.findall(r'X\([A-Z_]+, "(\w+)", (\d+)\)', source('error.h'))}
    page = {}
    for cell, meaning in rows(section('4. Errors')):
        name, status = re.fullmatch(r'`(\w+)`(?: \[(\d+)\])?', cell).groups()
        assert name not in page and meaning, name
        page[name] = status
    assert len(code) > 25 and set(page) == set(code), set(page) ^ set(code)
    for name, status in page.items():
        assert status is None or int(status) == code[name], (name, status, code[name])
    assert set(OPENAPI['components']['schemas']['Error']['properties']['error']['properties']['code']['enum']) == set(code)
    # Reasons are names of enum pyr_err (tests/test_engine.c has the words); each has its own number.
    header = wire.read(os.path.join(wire.ROOT, 'src/engine/include/pyramids/err.h'))
    listed = re.findall(r'^ +X\(([A-Z_]+), (\w+), (-\d+), "(?:[RQ]\d+)?"\)', header, re.M)
    assert len(listed) > 70 and all(name == word.upper() for name, word, _number in listed), listed
    assert len({number for _name, _word, number in listed}) == len(listed)
    assert 'pyr_err_name(' in source('outbox.c')


def case_messages(_):
    table = re.search(r'\} messages\[\] = \{(.*?)\};\n', source('message.c'), re.S).group(1)
    macros = {name: text for name, text in re.findall(r'#define (SEAT|PHASE)(?:\(required\))? (\{.*\})',
        source('message.c'))}
    code = {}
    for kind, needs, fields in re.findall(r'\{ "(\w+)", (true|false), (\{.*?\}), do_\w+ \}', re.sub(r'\s+', ' ', table)):
        fields = re.sub(r'SEAT\((\w+)\)', lambda match: macros['SEAT'].replace('required', match.group(1)),
            fields).replace('PHASE', macros['PHASE'])
        code[kind] = {name: required == 'true' for name, required in re.findall(r'\{ "(\w+)", FIELD_\w+, (\w+), ', fields)}
        if needs == 'true':
            code[kind]['id'] = True
    page = {}
    for kind, fields, _ in rows(section('What a client sends')):
        page[kind.strip('`')] = {name: not optional for name, optional in re.findall(r'`(\w+)`(\?)?', fields)}
    assert len(code) > 8 and page == code, (page, code)
    # All messages of the server are written in one file.
    text = source('outbox.c')
    begun = re.findall(r'message_begin\(&json, (?:\w+ \? "(\w+)" : )?"(\w+)"', text)
    sent = {kind for pair in begun for kind in pair if kind} | set(re.findall(r'"type", json_string\("(\w+)"\)', text))
    assert {row[0].strip('`') for row in rows(section('What the server sends'))} == sent, sent


def case_routes(_):
    page = set()
    for request, _ in rows(section('2. HTTP')):
        method, path = re.match(r'`(GET|POST|DELETE) ([^`]+)`', request).groups()
        page.add((method, re.sub(r'CODE|NAME|DATE|KEY', '*', path)))
    assert len(routes()) > 15 and page == routes(), page ^ routes()
    documented = {(method.upper(), re.sub(r'\{\w+\}', '*', path)) for path,
        methods in OPENAPI['paths'].items() for method in methods}
    assert documented == routes(), documented ^ routes()
    needs = {(method, path.replace('**', '*')): cookie == 'true' for method, path,
        cookie in re.findall(r'\{ METHOD_(\w+), "([^"]+)", (\w+), \w+ \}', source('http.c'))}
    asked = {match for name in sorted(os.listdir(os.path.join(wire.ROOT, 'src/server'))) if name.endswith('.c')
             for match in re.findall(r'(?:request_query|read_word)\(request, "(\w+)"', source(name))} | {'lang'}
    listed = {parameter['name'] for methods in OPENAPI['paths'].values() for operation in methods.values()
              for parameter in map(resolve, operation.get('parameters', [])) if parameter['in'] == 'query'}
    assert listed == asked, listed ^ asked
    for path, methods in OPENAPI['paths'].items():
        for method, operation in methods.items():
            assert ({} not in operation['security']) == needs[method.upper(), re.sub(r'\{\w+\}', '*', path)], (method, path)


def case_limits(folder):
    """The numbers on the page match the program, and are enforced."""
    usage = re.sub(r'\n {8,}', ' ', wire.run('serve', '--help'))          # one option per line
    limits = dict(rows(section('5. Limits')))
    defaults = {name: int(value) for name, value in re.findall(r'--([a-z-]+) \w+ .*\(default (\d+)', usage)}

    def number(what, pattern):
        return int(re.search(pattern, limits[what]).group(1).replace(',', ''))
    options = set(re.findall(r'`--([a-z-]+)`', PAGE))
    assert options <= set(re.findall(r'--([a-z-]+)', usage)), options
    for what, pattern, option in (('messages per connection', r'^(\d+) per second', 'message-rate'),
        ('HTTP requests per address', r'^(\d+) per second', 'request-rate'),
                                  ('connections', r'^([\d,]+) \(', 'max-connections'),
                                  ('connections', r'(\d+) per address', 'max-per-address'),
                                  ('open tables', r'^([\d,]+) \(', 'max-tables')):
        assert number(what, pattern) == defaults[option], (what, limits[what], defaults[option])
    assert number('messages per connection', r'bursts of (\d+)') == 3 * defaults['message-rate'] and \
        number('HTTP requests per address', r'bursts of (\d+)') == 5 * defaults['request-rate']
    seconds = {name: int(n) for n, name in re.findall(r'`(?:relaxed)`: (\d+) (minutes) per choice', PAGE)}
    assert seconds['minutes'] * 60 == defaults['relaxed'] and int(re.search(r'`quick`: (\d+) seconds',
        PAGE).group(1)) == defaults['quick']
    assert int(re.search(r'pings after (\d+) seconds of silence', PAGE).group(1)) == defaults['ping']
    with Server(folder) as server:
        ana = server.visitor()
        size = number('a message, a request\'s body', r'([\d,]+) bytes')
        ana.want(200, 'POST', '/api/visitor', '{}' + ' ' * (size - 2))
        ana.refused(413, 'too_long', 'POST', '/api/visitor', '{}' + ' ' * (size - 1))
        link = ana.link()
        link.put(1, b'{"type":"ping","id":"a"}' + b' ' * (size - 24))
        link.until(lambda: 'a' in link.answers)
        link.put(1, b' ' * (size + 1))
        assert link.closed() == 1009
        tables = number('open tables', r'(\d+) per visitor')
        for _ in range(tables):
            ana.make('open', 'open')
        ana.refused(429, 'too_many', 'POST', '/api/tables', {'seats': [{'kind': 'open'}] * 2})
        ben = server.visitor('Ben')
        links = [ben.link() for _ in range(number('connections', r'(\d+) per visitor'))]
        assert wire.Wire(ben).status == 429 and links
        guesses = number('wrong codes per address', r'(\d+) per minute')
        hits = [ana.ask('GET', '/api/tables/22222222').status for _ in range(guesses + 15)]
        assert hits[:guesses] == [404] * guesses and 429 in hits, hits
    # The server's own limits: a burst of so many messages passes, more do not.
    with Server(folder, database='rates.db', generous=False) as server:
        link = server.visitor().link()
        burst = number('messages per connection', r'bursts of (\d+)')
        begun, sent = time.monotonic(), 0

        def refused():
            return [answer for answer in link.answers.values() if answer['type'] == 'error']
        # on a slow machine a few more are allowed meanwhile
        while not refused():
            link.send(type='ping', id=f'i{sent}')
            sent += 1
            if sent > burst + 10:
                # each is answered by its id, even those that are too fast
                link.until(lambda: len(link.answers) == sent)
        most = burst + defaults['message-rate'] * (time.monotonic() - begun) + 1
        taken = len(link.answers) - len(refused())
        assert burst <= taken <= most and {error['code'] for error in refused()} == {'too_fast'} and not link.errors, (taken,
            most)


# Its examples.

def blocks():
    """The indented examples of the page, each a list of (direction, text)."""
    for block in re.findall(r'(?:^    .*\n|^\n(?=    ))+', PAGE, re.M):
        parts = []
        for line in block.splitlines():
            if line[4:6] in ('> ', '< '):
                parts.append([line[4], line[6:].strip()])
            elif parts and line.strip():
                parts[-1][1] += '\n' + line.strip()
        if parts:
            yield parts


def same_form(example, got, where=''):
    """An answer has the members of its example, with the same types; … stands for more."""
    if isinstance(example, dict):
        assert isinstance(got, dict), (where, got)
        if '…' in example:
            assert set(example) - {'…'} <= set(got), (where, got)
        else:
            assert set(example) == set(got), (where, example, got)
        for name in set(example) - {'…'}:
            same_form(example[name], got[name], f'{where}.{name}')
    elif isinstance(example, list):
        assert isinstance(got, list) and len(got) >= len(example) - 1, (where, got)
        for one, other in zip(example, got):
            same_form(one, other, where + '[]')
    else:
        assert isinstance(got, type(example)) or got is None or example is None, (where, example, got)


def loose(text):
    """JSON as written in examples: … among the members."""
    return json.loads(re.sub(r', …\s*\}', ', "…": 0}', text))


def case_examples_over_http(folder):
    with Server(folder) as server:
        ana, real, count = Visitor(server), {}, 0
        for block in blocks():
            if block[0][1].startswith('{'):
                continue
            for (mark, request), (answer_mark, answer) in zip(block[::2], block[1::2]):
                assert (mark, answer_mark) == ('>', '<'), block
                method, path, body = re.fullmatch(r'(GET|POST) (\S+)\s*(.*)', request, re.S).groups()
                for shown, got in real.items():
                    body = body.replace(shown, got)
                who = Visitor(server) if path.endswith('/device') else ana
                status, rest = re.fullmatch(r'(\d+)\s*(.*)', answer, re.S).groups()
                text, _, header = rest.partition('\nSet-Cookie: ')
                got = who.want(int(status), method, path, json.loads(body))
                example = loose(text)
                same_form(example, got.json)
                assert bool(header) <= bool(got.headers['Set-Cookie'])
                if header:
                    assert re.sub(r'=\w+…?;', '=x;', header, count=1) == re.sub(r'=\w+;', '=x;', got.headers['Set-Cookie'],
                        count=1), header
                if 'code' in example:
                    real[example['code']] = got.json['code']
                count += 1
        assert count == 5, count
        # The table as the page draws it.
        example = json.loads(re.search(r'`TABLE`:\n\n((?:    .*\n)+)', PAGE).group(1))
        code, _ = ana.make('open', 'friend:Ben', 'bot:club')
        link = ana.seat(code)
        got = ana.table(code)
        link.close()
        same_form(example, got)
        for name in ('state', 'edition', 'public', 'clock', 'you', 'host', 'version', 'round', 'turn', 'seats'):
            assert got[name] == example[name], (name, got[name])


def case_examples_over_the_socket(folder):
    block = [parts for parts in blocks() if parts[0][1].startswith('{')]
    assert len(block) == 1
    example = [(mark, json.loads(text)) for mark, text in block[0]]
    with Server(folder) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        code = ana.make('open', 'open')
        links = [ana.seat(code), ben.seat(code)]
        dice = random.Random(1)
        for link in links:
            link.until(lambda link=link: link.version)
            link.done('choose', phase=link.version, choice=link.pick(dice))
        for link in links:                           # the first turn, in which nobody has chosen yet
            link.until(lambda link=link: link.game().stage == 'mark')
        link, other = links
        lines = [message for message in link.news if message['type'] == 'lines'][-1]
        same_form(example[0][1], lines)
        # A turn as it is sent to seat 1: choose, done, ready; then the others' choices and the next card.
        order = []
        hear = link.hear

        def listen(timeout=wire.PATIENCE):
            before = len(link.news), set(link.answers)
            good = hear(timeout)
            order.extend(message['type'] for message in link.news[before[0]:])
            order.extend(link.answers[id]['type'] for id in set(link.answers) - before[1])
            return good
        link.hear = listen
        message = example[1][1]
        assert example[1][0] == '>' and set(message) == {'type', 'id', 'phase', 'choice'}
        choice = link.pick(dice)
        link.send(**dict(message, phase=link.version, choice=choice))
        link.until(lambda: link.ready)
        same_form(example[2][1], link.answers[message['id']])
        same_form(example[3][1], link.ready)
        assert link.ready['mine'] == choice and link.ready['ready'] == [1] and link.ready['phase'] == lines['to']
        phase = link.version
        other.until(lambda: other.version == phase)
        other.done('choose', phase=phase, choice=other.pick(dice))
        link.until(lambda: link.version > phase)
        same_form(example[4][1], link.news[-1])
        assert order == [message['type'] for mark, message in example[2:] if mark == '<'], order
        assert [line.split(' ')[0] for line in link.news[-1]['lines']][:2] == ['mark', 'mark']
        # Every kind of message has exactly the fields in the table of the page.
        fields = {kind.strip('`'): text for kind, text, _ in rows(section('What the server sends'))}
        link.refused('illegal', 'choose', phase=link.version, choice='99:a1')
        for message in [*link.news, *link.answers.values()]:
            if message['type'] == 'table':
                continue
            allowed = {name: not optional for name, optional in re.findall(r'`(\w+)`(\?)?', fields[message['type']])}
            assert set(message) - {'type'} <= set(allowed) and all(name in message for name,
                must in allowed.items() if must), message


# The HTTP part, by its schemas.

def resolve(schema):
    while '$ref' in schema:
        at = OPENAPI
        for part in schema['$ref'].split('/')[1:]:
            at = at[part]
        schema = at
    return schema


def faults(schema, value, where='$'):
    """Errors of a value: implements the part of JSON Schema that the document uses."""
    schema = resolve(schema)
    known = {'type', 'properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems', 'enum', 'pattern',
        'minimum', 'maximum', 'minLength', 'maxLength',
             'oneOf', 'description', 'example', 'default', 'nullable'}
    assert set(schema) <= known, set(schema) - known
    found = []
    if value is None and schema.get('nullable'):
        return []
    if 'oneOf' in schema:
        fitting = [one for one in schema['oneOf'] if not faults(one, value, where)]
        return [] if len(fitting) == 1 else [f'{where}: {len(fitting)} of the kinds fit {value}']
    kinds = {'object': dict, 'array': list, 'string': str, 'integer': int, 'number': (int, float), 'boolean': bool}
    if 'type' in schema and (not isinstance(value, kinds[schema['type']])
        or (isinstance(value, bool) and schema['type'] != 'boolean')):
        return [f'{where}: {value!r} is no {schema["type"]}']
    if 'enum' in schema and value not in schema['enum']:
        found.append(f'{where}: {value!r} is none of {schema["enum"]}')
    if isinstance(value, str):
        if 'pattern' in schema and not re.search(schema['pattern'], value):
            found.append(f'{where}: {value!r} does not look like {schema["pattern"]}')
        if not schema.get('minLength', 0) <= len(value) <= schema.get('maxLength', len(value)):
            found.append(f'{where}: {value!r} is too long or too short')
    if isinstance(value, (int, float)) and not isinstance(value, bool) and not schema.get('minimum',
        value) <= value <= schema.get('maximum', value):
        found.append(f'{where}: {value!r} is out of range')
    if isinstance(value, list):
        if not schema.get('minItems', 0) <= len(value) <= schema.get('maxItems', len(value)):
            found.append(f'{where}: {len(value)} members')
        for i, one in enumerate(value):
            found += faults(schema.get('items', {}), one, f'{where}[{i}]')
    if isinstance(value, dict):
        for name in schema.get('required', []):
            if name not in value:
                found.append(f'{where}: {name} is missing')
        for name, one in value.items():
            more = schema.get('additionalProperties', True)
            if name in schema.get('properties', {}):
                found += faults(schema['properties'][name], one, f'{where}.{name}')
            elif more is False:
                found.append(f'{where}: {name} is not told')
            elif isinstance(more, dict):
                found += faults(more, one, f'{where}.{name}')
    return found


def check_answer(operation, answer, what):
    """The status is documented, and the body matches its schema."""
    assert str(answer.status) in operation['responses'], f'{what}: {answer.status} is not documented'
    content = resolve(operation['responses'][str(answer.status)])['content']
    kind = answer.headers['Content-Type'].split(';')[0]
    assert kind in content, (what, kind)
    if kind == 'application/json':
        found = faults(content[kind]['schema'], answer.json)
        assert not found, (what, found)


def case_openapi_is_sound(_):
    """Its references resolve, its examples match its schemas, and all of its parts are used."""
    text = json.dumps(OPENAPI)
    for name in re.findall(r'"\$ref": "([^"]+)"', text):
        resolve({'$ref': name})
    for part, things in OPENAPI['components'].items():
        for name in things:
            assert part == 'securitySchemes' or f'"#/components/{part}/{name}"' in text, f'{part}/{name} is not used'
    for name, schema in OPENAPI['components']['schemas'].items():
        if 'example' in schema:
            assert not faults(schema, schema['example']), faults(schema, schema['example'])
    assert OPENAPI['openapi'].startswith('3.0.') and len({o['operationId'] for path in OPENAPI['paths'].values()
        for o in path.values()}) == len(routes())


def case_openapi_drives_the_server(folder):
    with Server(folder) as server:
        ana, ben = server.visitor(), server.visitor('Ben')
        over, running = ana.make('open', 'bot:novice', public=True), ana.make('open', 'open', public=True, hints=True)
        waiting, _ = ana.make('open', 'friend:Ben', 'bot:club', public=True)
        play([ana.seat(over)], random.Random(1))
        links = [ana.seat(running), ben.seat(running)]
        links[0].until(lambda: links[0].version)
        seen = set()

        def send(who, method, path, operation, body=None):
            answer = who.ask(method.upper(), path, body)
            check_answer(operation, answer, f'{method} {path} {body}')
            seen.add((operation['operationId'], answer.status))
            return answer
        # First the requests that count wrong keys like wrong codes: an address may guess 30 of them.
        for path, methods in sorted(OPENAPI['paths'].items(), key=lambda item: item[0] != '/api/profiles/{key}'):
            for method, operation in methods.items():
                parameters = [resolve(parameter) for parameter in operation.get('parameters', [])]
                paths = [path]
                for parameter in parameters:
                    if operation['operationId'] == 'takeName':          # by now the others have begun
                        waiting = ana.make('open', 'open')
                        ana.seat(waiting)
                    if parameter['in'] == 'query':
                        paths = [*paths, f"{paths[0]}?{parameter['name']}={parameter['example']}"]
                        continue
                    key = ana.want(200, 'POST', '/api/my/profile/link', {}).json['key']
                    values = {'code': [over, running, waiting, parameter['example']], 'key': [key, parameter['example']],
                        'name': [parameter['example'], 'nowhere'],
                        'date': [datetime.datetime.now(datetime.timezone.utc).date().isoformat(), '1999-12-31',
                            parameter['example']]}[parameter['name']]
                    paths = [path.replace('{%s}' % parameter['name'], value) for value in values]
                if operation['operationId'] == 'turnsFeed':
                    paths.append(ana.want(200, 'POST', '/api/my/feed', {}).json['path'])
                if operation['operationId'] == 'dailyBoard':
                    paths.append(paths[0] + '?period=week')     # the board of a day is not shown before a visitor's own game
                body = operation.get('requestBody', {}).get('content', {}).get('application/json', {})
                examples = body.get('examples', {'none': {'value': None}})
                for example in examples.values():
                    value, wanted = example['value'], example.get('x-answer', 0)
                    if body and wanted in (0, 200, 201):
                        assert not faults(body['schema'], value), (path, value)
                    if operation['operationId'] == 'useDeviceCode' and not wanted:
                        value = {'code': ana.want(200, 'POST', '/api/visitor/code', {}).json['code']}
                    for one in paths:
                        gone = operation['operationId'] == 'removeMe'
                        for who in (server.visitor('Eve'), Visitor(server)) if gone else (ana, ben, Visitor(server)):
                            answer = send(who, method, one, operation, value)
                            needs = {} not in operation['security']
                            assert needs == (answer.status == 401) or who.cookie or gone, (method, one, answer.status)
                            assert not wanted or answer.status in (wanted, 401), (method, one, value, answer.status,
                                answer.text)
                if body:
                    for wrong in ('{', '[]', '{"unknown":1}', ' ' * 5000):
                        answer = send(ana, method, paths[0], operation, wrong)
                        assert answer.status in (400, 413), (path, wrong, answer.status)
        # Each documented success was seen (an analysis may still be under way).
        for methods in OPENAPI['paths'].values():
            for operation in methods.values():
                for status in operation['responses']:
                    if status < '300' and not operation['operationId'].startswith('analysis'):
                        assert (operation['operationId'], int(status)) in seen, (operation['operationId'], status)


if __name__ == '__main__':
    wire.main(globals())
