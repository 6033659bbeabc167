#!/usr/bin/env python3
"""Makes the site: site.py OUT SOURCE EDITION MODULE FILE... -- PO... (FILE: a name in SOURCE, or NAME=PATH) copies the
files of the page, the edition and the module into OUT, each also packed by gzip, adds the catalogues of the languages,
and fills in the service worker: the list of files, and a version that changes with any of them. Texts that are shown
where no script runs are included in all languages: @NOSCRIPT@ and @UNLOADED@ in the page, the descriptions in the
manifest.

site.py --no-page OUT TEMPLATE PO... fills in @NOPAGE@ of the page for a server that was built without the real one."""
import hashlib
import html
import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib


def _(text):
    """Marks a text for scripts/update-po."""
    return text


DESCRIPTION = _('Turn a card, take your pen, find the way down to the tomb.')
NOSCRIPT = _('Pyramids needs JavaScript: please allow it for this page.')
UNLOADED = _('This page could not be loaded: its server does not answer, or does not accept visitors at this address. To '
    'run the server behind a proxy or under another name, allow it with:')
NOPAGE = _('This server was built without its page, because clang and wasm-ld were missing. Other clients can still play '
           'at its tables.')
NOPAGE_HOW = _('To get the page, install clang and lld and build the program again.')


def translations(text, paths):
    """The text in every available language, English first: pairs of code and text."""
    sys.dont_write_bytecode = True
    import po
    found = [('en', text)]
    for path in paths:
        done = [e.forms[0] for e in po.read(path)[0] if e.id == text and e.is_done]
        found += [(os.path.splitext(os.path.basename(path))[0].replace('_', '-'), done[0])] if done else []
    return found


def paragraphs(text, paths):
    return ''.join(f'<p lang="{code}">{html.escape(line, quote=False)}</p>' for code, line in translations(text, paths))


def catalogues(paths):
    """The output of po-to-json."""
    sys.dont_write_bytecode = True
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'po-to-json')
    loader = importlib.machinery.SourceFileLoader('po_to_json', place)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader('po_to_json', loader))
    loader.exec_module(module)
    return module.make(paths)


def no_page(out, template, *languages):
    with open(template, encoding='utf-8') as file:
        page = file.read()
    with open(out, 'w', encoding='utf-8') as file:
        file.write(page.replace('@NOPAGE@', paragraphs(NOPAGE, languages) + paragraphs(NOPAGE_HOW, languages)))


def main():
    if sys.argv[1] == '--no-page':
        no_page(*sys.argv[2:])
        return
    out, source, edition, module, *names = sys.argv[1:]
    names, languages = names[:names.index('--')], names[names.index('--') + 1:]
    files = {name: path or os.path.join(source, name) for name, _equals, path in (word.partition('=') for word in names)}
    files['classic.edition'], files['pyramids.wasm'] = edition, module
    shutil.rmtree(out, ignore_errors=True)
    content = {}
    for name, path in files.items():
        with open(path, 'rb') as file:
            content[name] = lean(name, file.read())
    with open(os.path.splitext(edition)[0] + '.puzzles', 'rb') as file:
        content['classic.puzzles'] = b''.join(file.readlines()[:1 + PUZZLES])
    # One file compresses better than four: this saves a twelfth of the transfer.
    content['style.css'] += b'\n'.join(content.pop(name) for name in JOINED)
    shorten(content)
    content.update(catalogues(languages))
    page = content['index.html'].decode().replace('@UNLOADED@', paragraphs(UNLOADED, languages))
    content['index.html'] = page.replace('@NOSCRIPT@', paragraphs(NOSCRIPT, languages)).encode()
    manifest = json.loads(content['app.webmanifest'])
    manifest['lang'], manifest['description'] = 'en', DESCRIPTION
    manifest['description_localized'] = dict(translations(DESCRIPTION, languages)[1:])
    content['app.webmanifest'] = (json.dumps(manifest, ensure_ascii=False, indent=2) + '\n').encode()
    version = hashlib.sha256(b''.join(name.encode() + data for name, data in sorted(content.items()))).hexdigest()[:16]
    with open(os.path.join(source, 'sw.js'), encoding='utf-8') as file:
        worker = file.read()
    listed = ', '.join(f"'{name}'" for name in sorted(content) if not name.startswith('icon-'))
    content['sw.js'] = worker.replace('@VERSION@', version).replace("'@FILES@'", listed).encode()
    kept = os.path.join(os.path.dirname(os.path.abspath(out)), 'packed')
    os.makedirs(kept, exist_ok=True)
    for name, data in content.items():
        path = os.path.join(out, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(data)
        with open(path + '.gz', 'wb') as file:
            file.write(packed(data, kept))


def packed(data, kept):
    """The data in gzip's format. zopfli compresses a twentieth better than zlib but is slow, so its results are cached
    in a folder. Without zopfli all memory levels of zlib are tried, as the best one differs between files."""
    def pack(memory):
        packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16, memory)
        return packer.compress(data) + packer.flush()
    program = shutil.which('zopfli')
    if not program:
        return min((pack(memory) for memory in range(6, 10)), key=len)
    place = os.path.join(kept, hashlib.sha256(data).hexdigest()[:24])
    if not os.path.exists(place + '.gz'):
        with open(place, 'wb') as file:
            file.write(data)
        subprocess.run([program, '--i10', place], check=True)
        os.remove(place)
    with open(place + '.gz', 'rb') as file:
        return file.read()


# Parts that a browser does not need: comments on lines of their own, types inside a line, remarks at the end of a line
# (those without quotes, which cannot be part of a text), and indents: texts of several lines are HTML, where they have no
# meaning, or records, which have none.
NEEDLESS = {
    '.js': rb'^ */\*\*(?:(?!\*/).)*\*/ *$|^ *//[^\n]*$|/\*\* @(?:(?!\*/).)*\*/ ?|(?<=[\w;,{}()]) +// [^\n\'"`]*$|^ +',
    '.css': rb'/\*(?:(?!\*/).)*\*/ *|^ +',
    '.html': rb'<!--(?:(?!-->).)*-->|^ +',
}


def lean(name, data):
    """Scripts, styles and the page without unneeded parts, which saves a sixth of the transfer; lines keep their
    numbers."""
    needless = NEEDLESS.get(os.path.splitext(name)[1])
    return re.sub(needless, lambda found: b'\n' * found[0].count(b'\n'), data, flags=re.M | re.S) if needless else data


PUZZLES = 200      # in the page: those of the days (PYR_PUZZLE_PACK). All would be 44 KB: a server gives them by the hundred


# Styles that are sent as part of style.css. (print.css sets the page's size, so only the sheets have it.)
JOINED = ['table.css', 'daily.css', 'solo.css']


# Scripts that are requested by name: by the page, and as its worker.
ENTRIES = ['main.js', 'worker.js']


# Files that are fetched when needed are joined into two: those for playing, and all other views. One file per view would
# be a tenth more in total, as small files compress badly.
PLAYING = ['end', 'guide', 'learn', 'lobby', 'newgame', 'online', 'settings', 'sound', 'table']


def gather(content):
    """Turns import('./end.js') into an import of the joined file that contains it."""
    wanted = {'playing': set(), 'more': set()}

    def instead(found):
        name = found[1].decode()
        kind = 'playing' if name in PLAYING else 'more'
        wanted[kind].add(name)
        return f"import('./{kind}.js').then((all) => all.{name})".encode()
    for name in content:
        if name.endswith('.js'):
            content[name] = re.sub(rb"import\('\./(\w+)\.js'\)", instead, content[name])
    for kind, names in wanted.items():
        content[f'{kind}.js'] = ''.join(f"export * as {name} from './{name}.js';\n" for name in sorted(names)).encode()


def shorten(content):
    """Bundles scripts into a few files with short names, and minifies styles, by esbuild, if it is installed: this
    saves a quarter of the scripts and a thirtieth of the styles. Texts are not changed."""
    program = shutil.which('esbuild')
    if not program:
        return
    gather(content)
    scripts = [name for name in content if name.endswith('.js')]
    alone = [name for name in content if name.endswith('.css')] + ['theme.js']
    options = [program, '--minify', '--target=es2022', '--charset=utf8', '--log-level=error', '--outdir=short']
    with tempfile.TemporaryDirectory() as folder:
        for name in scripts + alone:
            with open(os.path.join(folder, name), 'wb') as file:
                file.write(content[name])
        subprocess.run([*options, *alone], check=True, cwd=folder)
        # languages.js is made from the catalogues, which are added afterwards.
        subprocess.run([*options, '--bundle', '--splitting', '--format=esm', '--external:./languages.js',
            '--chunk-names=part-[hash]', '--metafile=parts.json', *ENTRIES], check=True, cwd=folder)
        for name in scripts:
            del content[name]
        for name in os.listdir(os.path.join(folder, 'short')):
            with open(os.path.join(folder, 'short', name), 'rb') as file:
                content[name] = file.read()
        with open(os.path.join(folder, 'parts.json'), encoding='utf-8') as file:
            preload(content, json.load(file)['outputs'])


def preload(content, outputs):
    """Lists the parts that main.js needs at once in the page, so that a browser fetches them in parallel."""
    wanted, waiting = [], ['short/main.js']
    while waiting:
        name = waiting.pop(0)
        if name in wanted:
            continue
        wanted.append(name)
        waiting += [part['path'] for part in outputs[name]['imports'] if part['kind'] == 'import-statement'
            and part['path'] in outputs]
    lines = [f'<link rel="modulepreload" href="{os.path.basename(name)}">\n' for name in wanted] + [
        '<link rel="modulepreload" href="languages.js">\n']
    page = content['index.html'].decode()
    first = page.index('<link rel="modulepreload"')
    page = page[:first] + ''.join(lines) + re.sub(r'<link rel="modulepreload"[^>]*>\n', '', page[first:])
    content['index.html'] = page.encode()


if __name__ == '__main__':
    main()
