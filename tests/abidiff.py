#!/usr/bin/env python3
"""Compares the library's binary interface, including all types it refers to, with the stored one
(tests/data/libpyramids0.abi), using abidiff. usage: abidiff.py BUILD SOURCE_ROOT

abidiff reads types from debug information, which a release build lacks. So the library's files are compiled again with
debug information and without optimization, and linked like the library. Everything in the stored interface must still
exist. Additions do not affect existing programs; the test `abi` reports them. PYR_UPDATE=1 stores the current interface.
After the first release, a change that breaks programs needs a new soversion in src/lib/meson.build."""
import concurrent.futures
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile


def compile_file(entry, folder):
    """Compiles one file of the library like its build does, but with debug information; returns the object."""
    target = os.path.join(folder, re.sub(r'\W', '_', entry['output']) + '.o')
    words = shlex.split(entry['command'])
    # ccache is kept if the build uses it. -MF and its file would overwrite those of the build.
    for option in ('-MF', '-MQ', '-o'):
        at = words.index(option)
        del words[at:at + 2]
    words = [word for word in words if word not in ('-MD', '-Werror') and not re.match(r'-O\d|-D_FORTIFY', word)]
    subprocess.run([*words, '-g', '-O0', '-w', '-U_FORTIFY_SOURCE', '-o', target], cwd=entry['directory'], check=True)
    return target


def make_library(build, folder):
    name = os.path.basename(os.path.realpath(os.path.join(build, 'src/lib/libpyramids.so.0')))
    archives = subprocess.run(['ninja', '-C', build, '-t', 'query', f'src/lib/{name}'], capture_output=True, text=True,
        check=True).stdout
    parts = re.findall(r'(src/\S+\.a)\b', archives)
    assert len(parts) > 10, archives
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as source:
        entries = [entry for entry in json.load(source) if os.path.dirname(entry['output'])[:-2] in parts]
    assert len(entries) > 40, len(entries)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        objects = list(workers.map(lambda entry: compile_file(entry, folder), entries))
    library = os.path.join(folder, 'libpyramids.so.0')
    # The same names as in the library: visibility, and the list of versions. Names that only another variant of a file
    # defines (for newer processors) may be missing here.
    subprocess.run([*shlex.split(os.environ.get('CC', 'cc')), '-shared', '-Wl,-soname,libpyramids.so.0',
        '-Wl,--version-script=' + os.path.join(sys.argv[2], 'src/lib/pyramids.map'), *objects, '-o', library], check=True)
    return library


def changed(before, after, out=subprocess.DEVNULL):
    """Whether the interface changed incompatibly. Two descriptions are compared, never a library: if abidiff (2.2) is given
    the directory of the headers, it treats every type of the description as private and ignores it."""
    # Bits of the exit code: 1 usage, 2 failed, 4 changed, 8 incompatible.
    code = subprocess.run(['abidiff', '--no-added-syms', before, after], stdout=out, check=False).returncode
    assert not code & 3, f'abidiff: {code}'
    return code != 0


def with_larger_view(description, folder):
    """The same interface with the size of one struct changed."""
    with open(description, encoding='utf-8') as source:
        text, count = re.subn(r"(<class-decl name='pyr_view' size-in-bits=')(\d+)",
            lambda at: at[1] + str(int(at[2]) + 64), source.read())
    assert count, 'there is no struct pyr_view'
    other = os.path.join(folder, 'other.abi')
    with open(other, 'w', encoding='utf-8') as target:
        target.write(text)
    return other


def main():
    build, root = sys.argv[1:]
    stored = os.path.join(root, 'tests/data/libpyramids0.abi')
    with tempfile.TemporaryDirectory() as folder:
        headers = os.path.join(folder, 'include')
        os.mkdir(headers)
        for name in glob.glob(os.path.join(root, 'src/*/include/pyramids/*.h')):
            os.symlink(name, os.path.join(headers, os.path.basename(name)))
        built = os.path.join(folder, 'built.abi')
        subprocess.run(['abidw', '--no-corpus-path', '--no-comp-dir-path', '--no-show-locs', '--drop-private-types',
            '--headers-dir', headers, make_library(build, folder), '--out-file', built], check=True)
        if os.environ.get('PYR_UPDATE'):
            shutil.copyfile(built, stored)
            return
        assert not changed(built, built)
        assert changed(with_larger_view(built, folder), built), 'a larger struct pyr_view goes unnoticed'
        if changed(stored, built, None):
            sys.exit('The library\'s interface has changed. If that is meant: PYR_UPDATE=1 meson test -C build abidiff')



if __name__ == '__main__':
    main()
