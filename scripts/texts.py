#!/usr/bin/env python3
"""texts.py OUT: writes the page's copy of the texts that it shares with the terminal. OUT is one of

    sentences.js    what happens in a game, why a step or a request is refused, and what each symbol does
    faulttexts.js   what is wrong with a record or an edition
    rulebook.js     the rules

They are made from src/text/sentences.inc, src/text/rulebook.inc, the list of error codes in err.h and that of events in
story.h. The files contain the English texts; translations are looked up by them as for every other text of the page
(po-to-json takes ids() for this).

The three are also kept in web/, for editors, type checks and tests that import the sources. The test `texts` compares them;
`for f in sentences faulttexts rulebook; do scripts/texts.py web/$f.js; done` brings them up to date."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WIDTH = 120


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as source:
        return source.read()


def rows(path, *names):
    """The rows NAME(...) of a file as [NAME, part...]: words, and strings (in pieces, marked by N_ and NP_)."""
    text = re.sub(r'/\*.*?\*/|^#.*?$', '', read(path), flags=re.S | re.M)
    token = re.compile(r'\s*(?:(?P<string>"(?:[^"\\]|\\.)*")|(?P<word>\w+)|(?P<sign>[(),]))')
    found, at, depth = [], 0, 0
    while text[at:].strip():
        match = token.match(text, at)
        if not match:
            sys.exit(f'texts.py: {path}: cannot read {text[at:at + 40].strip()!r}')
        at = match.end()
        if match['sign']:
            depth += {'(': 1, ')': -1, ',': 0}[match['sign']]
            if match['sign'] == ',':
                found[-1].append(None)
        elif match['string']:
            piece = re.sub(r'\\(.)', r'\1', match['string'][1:-1])
            found[-1][-1] = (found[-1][-1] or '') + piece
        elif not depth:
            found.append([match['word'], None])
        elif match['word'] not in ('N_', 'NP_'):
            found[-1][-1] = match['word']
    unknown = {row[0] for row in found} - set(names)
    if unknown or depth or any(part is None for row in found for part in row):
        sys.exit(f'texts.py: {path}: rows are not complete or not known: {unknown or found}')
    return found


def errors():
    """By name: the number of an error code, its rule, and its name on the wire."""
    return {name: (int(number), rule, wire) for name, wire, number, rule in re.findall(
        r'X\((\w+), (\w+), (-?\d+), "(\w*)"\)', read('src/engine/include/pyramids/err.h'))}


def sentences(kind):
    found = rows('src/text/sentences.inc', 'FAULT', 'FAULT_MANY', 'MISUSE', 'REASON', 'REFUSAL', 'REACTION',
        'EVENT', 'EVENT_MANY', 'RESULT', 'RESULT_MANY', 'LEVEL', 'COUNT')
    return [row[1:] for row in found if row[0] in (kind, kind + '_MANY')]


def rulebook():
    return rows('src/text/rulebook.inc', 'SECTION', 'RULE', 'TEXT', 'SYMBOL')


def reasons():
    codes = errors()
    return [[*codes[name], text] for name, text in sentences('REASON')]


def faults():
    """Number, rule, values, text and, if it depends on a number, its other form."""
    codes = errors()
    return [[*codes[name][:2], *row] for name, *row in sentences('FAULT')]


def reactions():
    """The word of a reaction in the protocol and what it says, in the order of remote.h: clients use the numbers, too."""
    found = sentences('REACTION')
    words = re.search(r'#define PYR_REACTION_WORDS\(X\) (.*)', read('src/session/include/pyramids/remote.h'))[1]
    if re.findall(r'X\((\w+)\)', words) != [word for word, _ in found]:
        sys.exit('texts.py: the reactions of sentences.inc are not those of remote.h')
    return found


def refusals():
    """The code of the protocol and its sentence, without those that the page cannot get."""
    return [[code, text] for code, clients, text in sentences('REFUSAL') if 'p' in clients]


def events():
    """By the numbers of story.h: values, whether it is news, text and, if it depends on a number, its other form."""
    found = {name: row for name, *row in sentences('EVENT')}
    kinds = re.findall(r'X\((\w+), (\d+), ([01])\)', read('src/record/include/pyramids/story.h'))
    if {name for name, _, _ in kinds} != set(found) or [int(n) for _, n, _ in kinds] != list(range(len(kinds))):
        sys.exit('texts.py: the events of sentences.inc are not those of story.h')
    return [[found[name][0], int(news), *found[name][1:]] for name, _, news in kinds]


def chapters():
    """The rules without their titles, which the page does not show: ['', section] or [tag, paragraph...]."""
    found = []
    for kind, *parts in rulebook():
        if kind == 'SECTION':
            found.append(['', parts[0]])
        elif kind == 'RULE':
            found.append([parts[0]])
        elif kind == 'TEXT':
            found[-1].append(parts[0])
    return found


def symbols():
    return [parts for kind, *parts in rulebook() if kind == 'SYMBOL']


def ids():
    """The texts that the page translates."""
    return ({row[1] for row in symbols() + refusals() + sentences('COUNT') + reactions()} |
        {row[2] for row in events() + sentences('RESULT')} | {text for row in sentences('LEVEL') for text in row} |
        {row[3] for row in reasons() + faults()} |
        {text for row in chapters() for text in row[1:]})


def literal(value, indent):
    """A JavaScript value in lines that are not too long, except the first."""
    if not isinstance(value, str):
        return str(value)
    pieces, line = [], ''
    for word in re.findall(r'\S*\s*', value):
        word = word.replace('\\', '\\\\').replace("'", "\\'")
        if line and len(indent) + len(line) + len(word) + 5 > WIDTH:
            pieces.append(line)
            line = ''
        line += word
    return f"' +\n{indent}'".join([*pieces, line]).join("''")


def table(name, about, kind, lines):
    """An array of arrays."""
    text = f'/** {about} */\nexport const {name} = /** @type {{{kind}}} */ ([\n'
    for row in lines:
        line = '    ['
        for i, value in enumerate(row):
            part = literal(value, ' ' * 8) + (']' if i + 1 == len(row) else '') + ','
            if i and len(line) + 1 + len(part.split('\n')[0]) > WIDTH:
                text, line = text + line + '\n', ' ' * 7
            *done, line = (line + (' ' if i else '') + part).split('\n')
            text += ''.join(piece + '\n' for piece in done)
        text += line + '\n'
    return text + ']);\n'


def make(name):
    head = f'/** {name}: made by scripts/texts.py from src/text; do not change it by hand. */\n'
    if name == 'sentences.js':
        return ''.join((head,
            table('EVENTS', 'What happened, by the numbers of story.h: values, 1 for news, sentence, its plural.',
                '[string, number, string, string?][]', events()),
            table('RESULTS', 'Who has won, and why: name of the row, values, sentence, its plural.',
                '[string, string, string, string?][]', sentences('RESULT')),
            table('LEVELS', 'Levels of bots: name of a player, of the level.', '[string, string][]',
                sentences('LEVEL')),
            table('COUNTS', 'How many of a symbol: its character, one, many.', '[string, string, string][]',
                sentences('COUNT')),
            table('REFUSALS', 'Why a server refuses: its code, sentence.', '[string, string][]', refusals()),
            table('REACTIONS', 'Quick reactions: symbol, what it says.', '[string, string][]', reactions()),
            table('REASONS', 'Why a step is refused: error code, rule, name on the wire, sentence.',
                '[number, string, string, string][]', reasons()),
            table('SYMBOL_RULES', 'What symbols do (R11): characters of an edition, sentence.', '[string, string][]',
                symbols())))
    if name == 'faulttexts.js':
        return head + table('FAULTS', 'What is wrong: error code, rule, values that fill the text, text, its plural.',
            '[number, string, string, string, string?][]', faults())
    if name == 'rulebook.js':
        return head + table('RULEBOOK', "Sections, ['', title], and their rules, [tag, paragraphs].", 'string[][]',
            chapters())
    sys.exit(f'texts.py: {name}: expected sentences.js, faulttexts.js or rulebook.js')


def main():
    with open(sys.argv[1], 'w', encoding='utf-8') as out:
        out.write(make(os.path.basename(sys.argv[1])))


if __name__ == '__main__':
    main()
