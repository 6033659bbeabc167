#!/usr/bin/env python3
"""pseudo_po.py POT OUT.po [CODE]: a pseudo-language, from the template alone: each letter gets an accent, each text
brackets and two fifths more length. An ASCII word on the screen then did not go through the catalogue, and texts that
are cut off or do not fit become visible."""
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '../scripts'))
import po

PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
ODD = 'àƀçðéƒĝĥïĵķļɱñôþʠŕšţüṽŵẋýžÀɃÇÐÉƑĜĤÏĴĶĻṀÑÔÞɊŔŠŢÜṼŴẊÝŽ'
LETTERS = str.maketrans(PLAIN, ODD)
# Placeholders of both kinds, and tags and entities of the page.
KEPT = re.compile(r'(%\{\w+\}|%(?:\d+\$)?[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh|h|ll|l|z|j|t)?[a-zA-Z%]|<[^>]*>|&#?\w+;)')


def read_short():
    with open(os.path.join(HERE, '../po/short.txt'), encoding='utf-8') as source:
        return {line.rstrip('\n').split(' ', 1)[1]: int(line.split(' ', 1)[0]) for line in source if line[:1].isdigit()}


def pseudo(text, keeps_percent):
    if text == '0.5':
        return '0,5'
    if text in SHORT:                        # as long as allowed, and not longer
        return text.translate(LETTERS).ljust(SHORT[text], '·')
    start, body, end = re.match(r'(\s*)(.*?)(\s*)$', text, re.S).groups()
    parts = KEPT.split(body)
    for i in range(0, len(parts), 2):
        parts[i] = parts[i].translate(LETTERS)
    for i in range(1, len(parts), 2):
        if keeps_percent and parts[i].startswith('%') and not parts[i].startswith('%{'):
            parts[i] = parts[i].translate(LETTERS)
    # as words that can be wrapped
    longer = re.sub('(·{9})(?=·)', r'\1 ', '·' * (max(2, len(body) * 2 // 5) if body else 0))
    return f'{start}⟦{"".join(parts)}{longer}⟧{end}'


SHORT = read_short()


def main():
    template, out = sys.argv[1:3]
    code = sys.argv[3] if len(sys.argv) > 3 else 'qps'
    entries, _ = po.read(template)
    with open(out, 'w', encoding='utf-8') as to:
        header = f'Project-Id-Version: pyramids\nLanguage: {code}\nMIME-Version: 1.0\nContent-Type: text/plain; ' \
            f'charset=UTF-8\n' \
                 'Content-Transfer-Encoding: 8bit\nPlural-Forms: nplurals=2; plural=n != 1;\n'
        to.write(f'msgid ""\nmsgstr {po.quote(header)}\n')
        for e in entries:
            if not e.id:
                continue
            plain = 'c-format' not in e.flags
            to.write(f'\n#: {" ".join(e.files)}\nmsgid {po.quote(e.id)}\n')
            if e.plural:
                to.write(f'msgid_plural {po.quote(e.plural)}\nmsgstr[0] {po.quote(pseudo(e.id, plain))}\nmsgstr[1] '
                    f'{po.quote(pseudo(e.plural, plain))}\n')
            else:
                to.write(f'msgstr {po.quote(pseudo(e.id, plain))}\n')


if __name__ == '__main__':
    main()
