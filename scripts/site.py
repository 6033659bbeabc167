#!/usr/bin/env python3
"""Makes the site: site.py OUT SOURCE EDITION MODULE FILE... -- PO... copies the files of the page, the edition and the module into OUT, each also
packed by gzip, adds the catalogues of the languages, and fills in the service worker: the list of files, and a version that changes with any of
them."""
import gzip
import hashlib
import importlib.machinery
import importlib.util
import os
import re
import shutil
import sys


def catalogues(paths):
    """What po-to-json beside this makes."""
    sys.dont_write_bytecode = True
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'po-to-json')
    loader = importlib.machinery.SourceFileLoader('po_to_json', place)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader('po_to_json', loader))
    loader.exec_module(module)
    return module.make(paths)


def main():
    out, source, edition, module, *names = sys.argv[1:]
    names, languages = names[:names.index('--')], names[names.index('--') + 1:]
    files = {name: os.path.join(source, name) for name in names}
    files['classic.edition'], files['pyramids.wasm'] = edition, module
    shutil.rmtree(out, ignore_errors=True)
    content = {}
    for name, path in files.items():
        with open(path, 'rb') as file:
            content[name] = lean(name, file.read())
    content.update(catalogues(languages))
    version = hashlib.sha256(b''.join(name.encode() + data for name, data in sorted(content.items()))).hexdigest()[:16]
    with open(os.path.join(source, 'sw.js'), encoding='utf-8') as file:
        worker = file.read()
    listed = ', '.join(f"'{name}'" for name in sorted(content) if not name.startswith('icon-'))
    content['sw.js'] = worker.replace('@VERSION@', version).replace("'@FILES@'", listed).encode()
    for name, data in content.items():
        path = os.path.join(out, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(data)
        with open(path + '.gz', 'wb') as file:
            file.write(gzip.compress(data, 9, mtime=0))


def lean(name, data):
    """Scripts and styles without the comments that have lines of their own, a seventh of what is sent; lines keep their numbers."""
    comment = {'.js': rb'^ */\*\*(?:(?!\*/).)*\*/ *$|^ *//[^\n]*$', '.css': rb'^ */\*(?:(?!\*/).)*\*/ *$'}.get(os.path.splitext(name)[1])
    return re.sub(comment, lambda found: b'\n' * found[0].count(b'\n'), data, flags=re.M | re.S) if comment else data


if __name__ == '__main__':
    main()
