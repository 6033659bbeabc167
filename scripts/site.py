#!/usr/bin/env python3
"""Makes the site: site.py OUT SOURCE EDITION MODULE FILE... copies the files of the page, the edition and the module into OUT, each also packed
by gzip, and fills in the service worker: the list of files, and a version that changes with any of them."""
import gzip
import hashlib
import os
import shutil
import sys


def main():
    out, source, edition, module, *names = sys.argv[1:]
    files = {name: os.path.join(source, name) for name in names}
    files['classic.edition'], files['pyramids.wasm'] = edition, module
    shutil.rmtree(out, ignore_errors=True)
    content = {}
    for name, path in files.items():
        with open(path, 'rb') as file:
            content[name] = file.read()
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


if __name__ == '__main__':
    main()
