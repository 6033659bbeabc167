#!/usr/bin/env python3
"""`pip install .` without the network: builds a wheel from a copy of the source, installs it into a folder of its own and
plays a game with it. usage: wheel.py SOURCE_ROOT"""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(sys.argv[1])
NEEDED = ('meson.build', 'meson_options.txt', 'pyproject.toml', 'LICENSE', 'docs/python.md', 'src', 'po', 'python',
          'scripts', 'editions')
GAME = '''
import random, pyramids
assert pyramids.__file__.startswith({0!r}), pyramids.__file__
game = pyramids.Game(3, 1)
while not game.is_over:
    game.apply(game.waiting[0], random.choice(game.legal_actions(game.waiting[0])))
assert pyramids.Game.from_record(game.record).scores == game.scores
print("played")
'''

with tempfile.TemporaryDirectory() as folder:
    source, target = os.path.join(folder, 'source'), os.path.join(folder, 'target')
    for name in NEEDED:
        to = os.path.join(source, name)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        if os.path.isdir(os.path.join(ROOT, name)):
            shutil.copytree(os.path.join(ROOT, name), to)
        else:
            shutil.copy(os.path.join(ROOT, name), to)
    subprocess.run([sys.executable, '-m', 'pip', 'wheel', '--quiet', '--no-build-isolation', '--no-index', '--no-deps',
                    '--wheel-dir', folder, source], check=True)
    wheel = next(name for name in os.listdir(folder) if name.endswith('.whl'))
    assert wheel.startswith('pyramids-') and '-cp311-abi3-' in wheel, wheel      # one wheel for 3.11 and later
    subprocess.run([sys.executable, '-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', '--target', target,
                    os.path.join(folder, wheel)], check=True)
    done = subprocess.run([sys.executable, '-c', GAME.format(target)], env={**os.environ, 'PYTHONPATH': target}, cwd=folder,
                          capture_output=True, text=True, check=False)
    print(wheel, done.stdout, done.stderr)
    sys.exit(done.stdout != 'played\n')
