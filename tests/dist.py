#!/usr/bin/env python3
"""A release (scripts/make-dist): source tarball, components, signed sums. usage: dist.py PYRAMIDS SOURCE_ROOT [CASE];
PYR_BUILD is the build."""
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile

import wire
from wire import COMMAND, ENV, ROOT

BUILD = os.environ.get('PYR_BUILD', '')
LIBRARY = os.path.join(BUILD, 'src/lib/libpyramids.so.0')


def run(*words, code=0, **more):
    done = subprocess.run(words, capture_output=True, text=True, env=dict(ENV, **more.pop('env', {})), check=False, **more)
    assert done.returncode == code, f'{words}: exit {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}'
    return done.stdout + done.stderr


def make(folder, *words, code=0):
    # What is compared is how the tarball is made, not how small it is.
    return run(os.path.join(ROOT, 'scripts/make-dist'), BUILD, *words, code=code, env={'PYR_DIST': folder, 'XZ_OPT': '-0'})


def case_release(folder):
    """Signed sums that others can check; a tarball that contains its commit; without a key the same bytes, and a message how
    to sign."""
    key, signers, out = (os.path.join(folder, name) for name in ('key', 'signers', 'out'))
    run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', 'maintainer', '-f', key)
    with open(signers, 'w', encoding='utf-8') as text:
        text.write('maintainer ' + wire.read(key + '.pub'))
    assert 'Signed.' in make(out, key)
    run('sha256sum', '-c', 'SHA256SUMS', cwd=out)
    sums = wire.read(os.path.join(out, 'SHA256SUMS'))
    check = ['ssh-keygen', '-Y', 'verify', '-f', signers, '-I', 'maintainer', '-n', 'pyramids-release', '-s',
        os.path.join(out, 'SHA256SUMS.sig')]
    run(*check, input=sums)
    run(*check, input=sums.replace('0', '1', 1), code=255)
    version = re.match(r'pyramids (\S+)', run(COMMAND, '--version')).group(1)
    source = f'pyramids-{version}.tar.xz'
    assert source in sums and f'pyramids-{version}.cdx.json' in sums, sums
    with tarfile.open(os.path.join(out, source)) as tar:
        names = tar.getnames()
        assert all(name.split('/')[0] == f'pyramids-{version}' and '..' not in name for name in names)
        for name in ('meson.build', 'debian/rules', 'COMMIT', 'LICENSE', 'docs/licences.md', 'web/index.html'):
            assert f'pyramids-{version}/{name}' in names, name
        assert not [name for name in names if re.search(r'/(build|\.git|node_modules)(/|$)', name)], 'built things'
        tar.extract(f'pyramids-{version}/COMMIT', folder)
        tar.extract(f'pyramids-{version}/scripts/commit', folder)
    place = os.path.join(folder, f'pyramids-{version}')
    assert run(os.path.join(place, 'scripts/commit')) == wire.read(os.path.join(place, 'COMMIT'))
    again = os.path.join(folder, 'again')
    assert 'not signed: give your ssh key with make dist KEY=' in make(again)
    assert not os.path.exists(os.path.join(again, 'SHA256SUMS.sig'))
    assert wire.read(os.path.join(again, 'SHA256SUMS')) == sums, 'the same tree gives other bytes'


def case_no_key(folder):
    """A missing key is an error before anything is made."""
    assert "no key '/nowhere/key'" in make(os.path.join(folder, 'none'), '/nowhere/key', code=1)
    assert not os.path.exists(os.path.join(folder, 'none'))


def case_notices(_):
    """The licence of the library that is compiled in requires its notice: docs/licences.md has it, word for word, and each
    package contains that page."""
    code = run('sh', '-c', 'echo "#include <jsmn.h>" | ${CC:-cc} -E -CC -x c -')
    notice = re.search(r'(?s)MIT License.*?SOFTWARE\.$', code, re.M).group().replace('*', ' ').split()
    assert 'Zaitsev' in notice and 150 < len(notice) < 200, notice
    text = wire.read(os.path.join(ROOT, 'docs/licences.md'))
    assert ' '.join(notice) in ' '.join(text.split()), notice
    # The page, too: its module contains that library.
    assert ' '.join(notice) in ' '.join(wire.read(os.path.join(ROOT, 'web/licences.txt')).split())
    assert 'href="licences.txt"' in wire.read(os.path.join(ROOT, 'web/rules.js'))
    for package in ('pyramids', 'libpyramids0', 'python3-pyramids'):
        assert 'docs/licences.md\n' in wire.read(os.path.join(ROOT, f'debian/{package}.docs')), package


def case_components(folder):
    """Every linked library is listed with version and licence; one that is missing from the table of licences is an
    error."""
    bom = json.loads(run(os.path.join(ROOT, 'scripts/sbom'), COMMAND, LIBRARY))
    assert bom['bomFormat'] == 'CycloneDX' and bom['specVersion'] == '1.5'
    listed = {one['name']: one for one in bom['components'] if one['type'] == 'library'}
    reported = re.findall(r'(?m)^  (\S+) +(.*)$', run(COMMAND, '--version'))
    for name, version in reported:
        if version != 'not included':
            assert listed[name]['version'] in version, (name, version, listed[name])
    assert 'version' in listed['glibc'] and 'jsmn' in listed
    assert all(one['licenses'][0]['license']['id'] for one in bom['components'])
    files = {one['name'] for one in bom['components'] if one['type'] == 'file'}
    assert {'editions/classic.edition', 'editions/classic.puzzles', 'web/main.js', 'po/de.po', 'web/icon.svg'} <= files
    assert {f'src/bots/{name}' for name in os.listdir(os.path.join(ROOT, 'src/bots')) if name.startswith('learned')} <= files
    # A copy of part of the tree, with one library less in the table.
    for path in ('scripts/sbom', 'docs/licences.md'):
        os.makedirs(os.path.join(folder, os.path.dirname(path)), exist_ok=True)
        shutil.copy(os.path.join(ROOT, path), os.path.join(folder, path))
    table = os.path.join(folder, 'docs/licences.md')
    text = wire.read(table)
    with open(table, 'w', encoding='utf-8') as out:
        out.write(re.sub(r'(?m)^\| libsodium .*\n', '', text))
    assert 'not in docs/licences.md: libsodium' in run(sys.executable, os.path.join(folder, 'scripts/sbom'), COMMAND, code=1)


if __name__ == '__main__':
    wire.main(globals())
