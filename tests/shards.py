#!/usr/bin/env python3
"""Jobs in parts (--shard, merge): eight parts through GNU parallel give what one run prints, in whatever order they are put
together; parts that were cut off anywhere are continued. usage: shards.py PYRAMIDS SOURCE_ROOT [CASE]"""
import json
import os
import random
import re
import shutil
import subprocess
import sys

import cases

COMMAND, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
RECORD, EDITION = os.path.join(ROOT, 'tests/data/plain-2.pyr'), os.path.join(ROOT, 'tests/data/plain.edition')
ENV = dict(os.environ, LC_ALL='C.UTF-8', LANGUAGE='en')
SIM = ('sim', '--players', '3', '--bots', 'greedy,random,club', '--games', '101', '--seed', '5', '--threads', '1')
ANALYZE = ('analyze', RECORD, '--edition', EDITION, '--playouts', '128', '--threads', '1')


def run(*words, code=0):
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, env=ENV, timeout=300)
    assert done.returncode == code, f'{words}: exit {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}'
    return done.stderr if code else done.stdout


def timeless(text):
    """Without the time per move, the one thing that differs between two runs of the same job."""
    return re.sub(r' +[\d.]+$', '', re.sub(r'"ms_per_move": [\d.]+', '', text), flags=re.M)


def in_parallel(folder, parts, words):
    """Runs all parts with GNU parallel; their files."""
    subprocess.run(['parallel', '--will-cite', '-j2', COMMAND, *words, '--shard', f'{{}}/{parts}', '--output',
                    os.path.join(folder, 'part{}'), ':::', *map(str, range(1, parts + 1))], check=True, env=ENV, timeout=600,
                   stdin=subprocess.DEVNULL)
    return [os.path.join(folder, f'part{i}') for i in range(1, parts + 1)]


def case_eight_parts_of_a_simulation_are_the_whole(folder):
    files = in_parallel(folder, 8, SIM)
    for options in ([], ['--json']):
        whole = timeless(run(*SIM, *options))
        for _ in range(3):
            random.Random(1).shuffle(files)
            assert timeless(run('merge', *files, *options)) == whole
    assert json.loads(run('merge', '--json', *files))['games'] == 101


def case_other_numbers_of_parts_and_independent_shuffles(folder):
    for parts, more in ((1, []), (3, ['--independent']), (60, [])):
        where = os.path.join(folder, str(parts))
        os.mkdir(where)
        words = ('sim', '--bots', 'greedy,random', '--games', '45', *more)
        files = []
        for i in range(1, parts + 1):
            files.append(os.path.join(where, f'p{i}'))
            run(*words, '--shard', f'{i}/{parts}', '--output', files[-1])
        assert timeless(run('merge', *files)) == timeless(run(*words))


def case_eight_parts_of_an_analysis_are_the_whole(folder):
    files = in_parallel(folder, 8, ANALYZE)
    random.Random(2).shuffle(files)
    assert run('merge', *files) == run(*ANALYZE)
    assert run('merge', '--json', *files) == run(*ANALYZE, '--json')


def case_parts_that_were_cut_off_are_continued(folder):
    rng = random.Random(3)
    for words in (SIM, ANALYZE):
        part, whole = os.path.join(folder, 'part'), os.path.join(folder, 'whole')
        run(*words, '--shard', '2/4', '--output', whole)
        with open(whole, 'rb') as file:
            data = file.read()
        items = data.index(b'\nitem ') + 1
        for _ in range(4):
            with open(part, 'wb') as file:
                file.write(data[:rng.randrange(items, len(data))])
            run(*words, '--shard', '2/4', '--output', part)
            with open(part, 'rb') as file:
                again = file.read()
            real = re.compile(rb'\d\.\d+e?-?\d*')         # times of a simulation differ
            assert real.sub(b'', again) == real.sub(b'', data) if words is SIM else again == data
        before = os.stat(part).st_mtime_ns
        run(*words, '--shard', '2/4', '--output', part)      # complete: nothing is left to do
        assert os.stat(part).st_size == len(again) and before
        os.remove(part)
        os.remove(whole)


def case_an_interrupted_part_is_continued(folder):
    part = os.path.join(folder, 'part')
    words = (COMMAND, 'sim', '--bots', 'greedy,random', '--games', '100000', '--threads', '1', '--shard', '1/1', '--output',
             part)
    with subprocess.Popen(words, env=ENV) as process:
        while not os.path.exists(part) or open(part, 'rb').read().count(b'\nitem ') < 96:
            assert process.poll() is None
        process.kill()
    short = ('sim', '--bots', 'greedy,random', '--games', '300')
    assert 'missing' in run('merge', part, code=1)
    assert 'another' in run(*short, '--shard', '1/1', '--output', part, code=1)


def case_wrong_parts_are_refused(folder):
    files = []
    for i in (1, 2, 3):
        files.append(os.path.join(folder, f'p{i}'))
        run('sim', '--games', '20', '--shard', f'{i}/3', '--output', files[-1])
    other = os.path.join(folder, 'other')
    run('sim', '--games', '20', '--seed', '2', '--shard', '3/3', '--output', other)
    assert 'part 3 of 3 is missing' in run('merge', *files[:2], code=1)
    assert 'different jobs' in run('merge', *files[:2], other, code=1)
    shutil.copy(files[0], other)
    assert 'the same part' in run('merge', *files, other, code=1)
    assert '--shard' in run('merge', RECORD, code=1)
    assert 'No such file' in run('merge', os.path.join(folder, 'none'), code=1)
    with open(files[1], 'rb') as file:
        data = file.read()
    for size in (0, 10, 40, 60, 200, len(data) - 1):
        with open(files[1], 'wb') as file:
            file.write(data[:size])
        run('merge', *files, code=1)
    for words in (('--shard', '0/3'), ('--shard', '4/3'), ('--shard', '3'), ('--shard', 'a/b'), ('--shard', '1/3', '--sprt',
                  '0,5'), ('--shard', '1/3', '--json')):
        run('sim', *words, '--output', other, code=2)
    run('sim', '--shard', '1/3', code=2)
    run('sim', '--output', other, code=2)
    run('merge', code=2)


if __name__ == '__main__':
    cases.main(globals())
