#!/usr/bin/env python3
"""The files of debian/ and data/ agree with the rest of the tree: versions, packages, installed files, symbols.
Builds no package; `make deb` and `make test-deb` do. usage: deb.py PYRAMIDS SOURCE_ROOT [CASE]; PYR_BUILD is the build."""
import fnmatch
import os
import re
import subprocess

import wire
from wire import ROOT

SYMBOLS = 'debian/libpyramids0.symbols'


def read(*path):
    return wire.read(os.path.join(ROOT, *path))


def stanzas():
    """The packages of debian/control, source first."""
    text = re.sub(r'(?m)^#.*\n', '', read('debian/control'))
    return [dict(re.findall(r'(?m)^([A-Za-z-]+): *((?:.*)(?:\n[ \t].*)*)', part)) for part in text.strip().split('\n\n')]


def words(field):
    """The names in a list of dependencies, alternatives left out."""
    return {re.split(r'[ (:|]', word.strip())[0] for word in field.split(',') if word.strip()}


def case_one_version(_):
    """meson.build has the version; the two change logs follow it, with the same date."""
    version = re.search(r"(?m)^  version: '([^']+)'", read('meson.build')).group(1)
    top = re.match(r'pyramids \(([^)]+)\)', read('debian/changelog'))
    assert top and top.group(1) == version, f'debian/changelog has {top and top.group(1)}, meson.build {version}'
    dates = re.findall(rf'(?m)^## {re.escape(version)} \((\d+-\d+-\d+)\)$', read('CHANGELOG.md'))
    assert len(dates) == 1, f'CHANGELOG.md needs one heading "## {version} (DATE)"'
    # Each version describes what to do when upgrading from the previous one.
    parts = re.split(r'(?m)^## ', read('CHANGELOG.md'))[1:]
    silent = [part.split('\n')[0] for part in parts[:-1] if not re.search(r'(?m)^Upgrading', part)]
    assert not silent, f'CHANGELOG.md has no line "Upgrading" for {silent}'
    trailer = re.search(r'(?m)^ -- .*>  (.*)$', read('debian/changelog')).group(1)
    iso = subprocess.run(['date', '-u', '-d', trailer, '+%F'], capture_output=True, text=True, check=True).stdout.strip()
    assert iso == dates[0], f'debian/changelog says {iso}, CHANGELOG.md {dates[0]}'
    release = wire.read(os.path.join(os.environ['PYR_BUILD'], 'data/org.example.pyramids.metainfo.xml'))
    assert f'<release version="{version}" date="{iso}"/>' in release, release


def case_same_needs(_):
    """The packages are built with what scripts/need installs for the program and its page."""
    needed = set()
    for group in ('build', 'page'):
        part = re.search(rf'(?ms)^    {group}\)\n(.*?)^        ;;', read('scripts/need')).group(1)
        needed |= set(re.findall(r"(?m)^ *(?:(?:want|library|header) (?:'[^']*'|\S+)|.* lack) (\S+) '", part))
    needed -= {'gcc', 'libc6-dev'}           # build-essential
    assert len(needed) > 15, needed
    helpers = {'debhelper-compat', 'dh-sequence-installsysusers', 'dh-sequence-python3'}
    wanted = words(stanzas()[0]['Build-Depends']) - helpers
    assert wanted == needed, f'only in debian/control: {wanted - needed}; only in scripts/need: {needed - wanted}'


def case_compiler_of_several_words(folder):
    """scripts/need finds as much with a compiler such as `ccache gcc` as with one of a single word."""
    for name in ('apt-get', 'sudo'):
        with open(os.path.join(folder, name), 'w', encoding='ascii') as file:
            file.write('#!/bin/sh\nexit 1\n')
        os.chmod(file.name, 0o755)

    def missing(compiler):
        env = dict(os.environ, CC=compiler, PATH=f'{folder}:{os.environ["PATH"]}')
        return subprocess.run([os.path.join(ROOT, 'scripts/need'), 'build'], capture_output=True, text=True, env=env,
            check=False).stdout
    assert missing('env cc') == missing('cc')


def case_names(_):
    """The trade name of the game is not ours: no package, file or icon has it in its name."""
    names = [stanza.get('Package', stanza.get('Source')) for stanza in stanzas()]
    assert names == ['pyramids', 'pyramids', 'pyramids-server', 'libpyramids0', 'libpyramids-dev', 'python3-pyramids'], names
    files = subprocess.run(['git', '-C', ROOT, 'ls-files'], capture_output=True, text=True, check=False).stdout.split('\n')
    assert not [name for name in names + files if re.search(r'silver|gold', name, re.I)]
    for path in ('data/pyramids.desktop', 'data/org.example.pyramids.metainfo.xml.in', 'debian/control', 'pyproject.toml',
        'src/lib/meson.build'):
        assert not re.search(r'silver', read(path), re.I), path


def case_manual(_):
    """The manual page has every option of every subcommand, in all six languages."""
    def ask(*more):
        done = subprocess.run([wire.COMMAND, *more, '--help'], capture_output=True, text=True, env=wire.ENV, check=True)
        return done.stdout
    pages = ['man/pyramids.1', *(f'man/{code}/pyramids.1' for code in read('po/LINGUAS').split())]
    assert len(pages) == 6, pages
    commands = re.findall(r'(?m)^  ([a-z]+) ', ask())
    assert {'serve', 'admin', 'daily', 'puzzle', 'print'} < set(commands), commands
    for path in pages:
        text = read(path).replace('\\-', '-')
        for command in commands:
            assert re.search(rf'(?m)^\.S[SH] .*\b{command}\b', text), f'{path} has no section for {command}'
            options = set(re.findall(r'(?m)^  (?:-\w, )?(--[a-z-]+)', ask(command)))
            missing = [one for one in options if not re.search(rf'{one}(?![a-z-])', text)]
            assert not missing, f'{path} lacks {missing} of {command}'


def case_every_file_once(folder):
    """Every installed file is in exactly one package, and every line of debian/*.install matches a file."""
    build = os.environ['PYR_BUILD']
    subprocess.run(['meson', 'install', '-C', build, '--no-rebuild', '--quiet', '--destdir', folder], check=True,
        stdout=subprocess.DEVNULL)
    options = subprocess.run(['meson', 'introspect', build, '--buildoptions'], capture_output=True, text=True,
        check=True).stdout
    prefix = re.search(r'"name": "prefix", "value": "([^"]*)"', options).group(1).strip('/')
    found = [os.path.relpath(os.path.join(place, name), folder) for place, _, names in os.walk(folder) for name in names]
    found = ['usr' + path[len(prefix):] if path.startswith(prefix + '/') else path for path in found]
    # At the paths that Debian uses: debian/rules moves the units, and libraries are in a directory of their architecture.
    found = [path.replace('usr/lib/systemd/', 'lib/systemd/') for path in found]
    found = [re.sub(r'^usr/lib/(?=lib|pkgconfig)', 'usr/lib/x86_64-linux-gnu/', path) for path in found]
    found = [re.sub(r'^usr/lib/python3[^/]*/(site|dist)-packages', 'usr/lib/python3/dist-packages', path) for path in found]
    assert len(found) > 30, found
    homes = {path: [] for path in found}
    lists = [name for name in os.listdir(os.path.join(ROOT, 'debian')) if name.endswith('.install')] + ['not-installed']
    for name in lists:
        for line in re.sub(r'(?m)^#.*\n', '', read('debian', name)).splitlines():
            pattern = line.split()[0]
            if not pattern.startswith(('usr/', 'lib/', 'etc/')):
                assert os.path.exists(os.path.join(ROOT, pattern)), f'debian/{name}: no {pattern}'
                continue
            hits = [path for path in found if fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch(path, pattern + '/*')]
            assert hits, f'debian/{name}: nothing is installed as {pattern}'
            for path in hits:
                homes[path].append(name)
    assert all(len(home) == 1 for home in homes.values()), {path: home for path, home in homes.items() if len(home) != 1}
    # Documents are copied from the sources.
    for name in os.listdir(os.path.join(ROOT, 'debian')):
        if name.endswith(('.docs', '.examples')):
            missing = [path for path in read('debian', name).split() if not os.path.exists(os.path.join(ROOT, path))]
            assert not missing, f'debian/{name}: no {missing}'


def case_symbols(_):
    """The symbols file has the same names as the test `abi`. PYR_UPDATE=1 adds new ones, with this version."""
    now = re.findall(r'(?m)^symbol (\S+)$', read('tests/data/abi.txt'))
    stored = dict(re.findall(r'(?m)^ (\S+)@PYRAMIDS_0 (\S+)$', read(SYMBOLS)))
    if os.environ.get('PYR_UPDATE'):
        version = re.match(r'pyramids \(([^)]+)\)', read('debian/changelog')).group(1)
        lines = [f' {name}@PYRAMIDS_0 {stored.get(name, version)}\n' for name in sorted(now)]
        base = stored.get('PYRAMIDS_0', version)
        with open(os.path.join(ROOT, SYMBOLS), 'w', encoding='utf-8') as out:
            out.write(f'libpyramids.so.0 libpyramids0 #MINVER#\n PYRAMIDS_0@PYRAMIDS_0 {base}\n' + ''.join(lines))
        return
    stored.pop('PYRAMIDS_0')
    assert len(now) > 300 and set(now) == set(stored), f'{SYMBOLS} lacks {set(now) - set(stored)} and has ' \
        f'{set(stored) - set(now)}. If that is meant: PYR_UPDATE=1 meson test -C build deb'


if __name__ == '__main__':
    wire.main(globals())
