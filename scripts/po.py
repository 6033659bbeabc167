"""po.py: reads .po files for the other scripts and tests. It supports what scripts/update-po writes: no contexts, no
wrapped comments."""
import re

PLACES = '#: '


class Entry:
    """A text: id and plural ('' if it has none), forms (one, or one per plural form), files that use it, flags, line."""

    def __init__(self):
        self.id, self.plural, self.forms, self.files, self.flags, self.line, self.comments = '', '', [], [], set(), 0, []

    @property
    def is_fuzzy(self):
        return 'fuzzy' in self.flags

    @property
    def is_done(self):
        return bool(self.forms) and all(self.forms) and not self.is_fuzzy


def unquote(text):
    return re.sub(r'\\(.)', lambda m: {'n': '\n', 't': '\t'}.get(m[1], m[1]), text.strip()[1:-1])


def quote(text):
    return '"' + text.replace('\\', '\\\\').replace('"', '\\"').replace('\n', '\\n').replace('\t', '\\t') + '"'


def read(path):
    """The entries of a file, the header (id '') first, and the number of obsolete ones."""
    entries, entry, target, obsolete = [], None, None, 0
    with open(path, encoding='utf-8') as source:
        for number, line in enumerate(source, 1):
            line = line.rstrip('\n')
            if line.startswith('#~'):
                obsolete += line.startswith('#~ msgid ')
                continue
            if not line:
                entry = None
                continue
            if entry is None:
                entry = Entry()
                entries.append(entry)
            if line.startswith(PLACES):
                entry.files += [place.rsplit(':', 1)[0] if re.search(r':\d+$', place) else place
                    for place in line[3:].split()]
            elif line.startswith('#,'):
                entry.flags |= {flag.strip() for flag in line[2:].split(',')}
            elif line.startswith('#'):
                entry.comments.append(line[1:].lstrip('. '))
            elif line.startswith('msgid_plural '):
                entry.plural, target = unquote(line[13:]), 'plural'
            elif line.startswith('msgid '):
                entry.id, entry.line, target = unquote(line[6:]), number, 'id'
            elif line.startswith('msgstr'):
                entry.forms.append(unquote(line.split(' ', 1)[1]))
                target = 'forms'
            elif line.startswith('"') and target == 'forms':
                entry.forms[-1] += unquote(line)
            elif line.startswith('"'):
                setattr(entry, target, getattr(entry, target) + unquote(line))
            else:
                raise ValueError(f'{path}:{number}: {line}')
    return [e for e in entries if e.forms], obsolete


def header(entries):
    """The header as a dictionary."""
    text = next((e.forms[0] for e in entries if not e.id), '')
    return dict(line.split(': ', 1) for line in text.split('\n') if ': ' in line)


def plural_forms(entries):
    """How many forms the language has, and the expression in n that chooses one."""
    match = re.match(r'nplurals=(\d+); *plural=(.*?);?$', header(entries).get('Plural-Forms', 'nplurals=2; plural=n != 1;'))
    if not match or not re.fullmatch(r'[n0-9()?:<>=!&|%+*/ -]+', match[2]):
        raise ValueError('Plural-Forms cannot be read')
    return int(match[1]), match[2]
