#!/usr/bin/env python3
"""Jobs in parts (--shard, merge): eight parts through GNU parallel give the output of one run, in any order of
merging; parts that were cut off anywhere are continued. usage: shards.py PYRAMIDS SOURCE_ROOT [CASE], with the folder
of the programs for making things (tools/) as PYR_TOOLS"""
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
CLASSIC, TOOLS = os.path.join(ROOT, 'editions/classic.edition'), os.environ['PYR_TOOLS']
ENV = dict(os.environ, LC_ALL='C.UTF-8', LANGUAGE='en')
SIM = ('sim', '--players', '3', '--bots', 'greedy,random,club', '--games', '101', '--seed', '5', '--threads', '1')
ANALYZE = ('analyze', RECORD, '--edition', EDITION, '--playouts', '128', '--threads', '1')


def run(*words, code=0, command=COMMAND):
    done = subprocess.run([command, *words], capture_output=True, text=True, env=ENV, timeout=300)
    assert done.returncode == code, f'{words}: exit {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}'
    return done.stderr if code else done.stdout


def timeless(text):
    """Removes the time per move, the only difference between two runs of the same job."""
    return re.sub(r' +[\d.]+$', '', re.sub(r'"ms_per_move": [\d.]+', '', text), flags=re.M)


def in_parallel(folder, parts, words, command=COMMAND):
    """Runs all parts with GNU parallel; returns their files."""
    subprocess.run(['parallel', '--will-cite', '-j2', command, *words, '--shard', f'{{}}/{parts}', '--output',
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
        for size in (1, rng.randrange(items), *(rng.randrange(items, len(data)) for _ in range(3))):
            with open(part, 'wb') as file:
                file.write(data[:size])
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


def kill_with_items(words, part, items):
    """Starts a part, and kills it once it has written that many results, long before its end."""
    with subprocess.Popen([COMMAND, *words, '--shard', '1/1', '--output', part], env=ENV) as process:
        while not os.path.exists(part) or open(part, 'rb').read().count(b'\nitem ') < items:
            assert process.poll() is None
        process.kill()


def case_an_interrupted_part_is_continued(folder):
    part = os.path.join(folder, 'part')
    words = ('sim', '--bots', 'flatmc,random', '--nodes', '200', '--games', '30', '--threads', '1')
    kill_with_items(words, part, 1)
    run(*words, '--shard', '1/1', '--output', part)
    assert timeless(run('merge', part)) == timeless(run(*words))
    os.remove(part)
    kill_with_items(('sim', '--bots', 'greedy,random', '--games', '100000', '--threads', '1'), part, 96)
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


def tool_jobs(folder):
    """A small job of each program in tools/ that takes --shard, and a word of its output."""
    few = os.path.join(folder, 'few')
    with open(os.path.join(ROOT, 'tests/data/late.txt'), encoding='utf-8') as file, open(few, 'w', encoding='utf-8') as to:
        to.writelines(file.readlines()[:40])
    return {
        'late': (('late', 'make', EDITION, '20', '1'), '2 3 1 1 37:b1c1d1b2+37:b3=134 '),
        'late-score': (('late', 'score', EDITION, few, 'casual'), 'of 12  all: lost '),
        'clairvoyant': (('clairvoyant', CLASSIC, '2', '4', '1', 'greedy', 'novice'), "100.0% of the clairvoyant's"),
        'card-table': (('card_table', '--games', '11', '--players', '3', '--nodes', '9', CLASSIC), '| greedy, 9 '),
        'puzzles': (('puzzles', 'make', CLASSIC, '--seed', '1', '--games', '4'), 'pyramids-puzzles 1 classic\n1 4 3 4 7 1 '),
    }


def tool(words, *more, code=0):
    return run(*words[1:], *more, command=os.path.join(TOOLS, words[0]), code=code)


def make_parts(folder, words, parts):
    files = [os.path.join(folder, f'{i}-{parts}') for i in range(1, parts + 1)]
    for i, file in enumerate(files, 1):
        assert tool(words, '--shard', f'{i}/{parts}', '--output', file) == ''
    return files


def case_parts_of_the_tools_are_the_whole(folder):
    for kind, (words, some) in tool_jobs(folder).items():
        where = os.path.join(folder, kind)
        os.mkdir(where)
        whole = tool(words)
        assert some in whole, whole
        for parts in (1, 3, 5):
            files = make_parts(where, words, parts)
            for _ in range(2):
                random.Random(parts).shuffle(files)
                assert run('merge', *files) == whole
        with open(files[0], encoding='utf-8') as file:
            assert f'\nkind {kind}\n' in file.read()
        assert 'JSON' in run('merge', '--json', *files, code=2)


def case_eight_parts_of_the_late_suite_through_gnu_parallel(folder):
    words = ('make', EDITION, '30', '1')
    files = in_parallel(folder, 8, words, os.path.join(TOOLS, 'late'))
    assert run('merge', *reversed(files)) == tool(('late', *words))


def case_targets_of_solo_expeditions(folder):
    """A seed in two parts, so one of them is empty; one game of each bot, because expert is slow."""
    words = ('solo', CLASSIC, '4', '1', '1')
    whole = tool(words)
    assert whole == '    { 4, { 99, 128, 134 } },\n'
    assert run('merge', *make_parts(folder, words, 2)[::-1]) == whole


def case_parts_of_the_tools_that_were_cut_off_are_continued(folder):
    rng = random.Random(7)
    for kind, (words, _) in tool_jobs(folder).items():
        where = os.path.join(folder, kind)
        os.mkdir(where)
        first, part, last = make_parts(where, words, 3)
        with open(part, 'rb') as file:
            data = file.read()
        whole = run('merge', first, part, last)
        for size in (rng.randrange(data.index(b'\nitem ') + 1, len(data)), len(data) - 1):
            with open(part, 'wb') as file:
                file.write(data[:size])
            refusal = run('merge', last, part, first, code=1)
            assert 'results are missing; run the parts again' in refusal, refusal
            tool(words, '--shard', '2/3', '--output', part)
            with open(part, 'rb') as file:
                assert file.read() == data
        # An invalid or missing line is detected, and its result made again.
        lines = data.split(b'\n')
        item = next(i for i, line in enumerate(lines) if line.startswith(b'item '))
        for wrong in ([b'item 1 nonsense'], []):
            with open(part, 'wb') as file:
                file.write(b'\n'.join(lines[:item] + wrong + lines[item + 1:]))
            assert 'missing' in run('merge', first, part, last, code=1)
            tool(words, '--shard', '2/3', '--output', part)
        assert run('merge', first, part, last) == whole


def case_wrong_parts_of_the_tools_are_refused(folder):
    jobs = {kind: words for kind, (words, _) in tool_jobs(folder).items()}
    late, cards = make_parts(folder, jobs['late'], 3), os.path.join(folder, 'cards')
    tool(jobs['card-table'], '--shard', '3/3', '--output', cards)
    assert 'part 3 of 3 is missing' in run('merge', *late[:2], code=1)
    assert 'different jobs' in run('merge', *late[:2], cards, code=1)
    shutil.copy(late[0], late[0] + 'again')
    assert 'the same part' in run('merge', *late, late[0] + 'again', code=1)
    # A file is not continued by another part, seed, edition or program.
    for words, part in ((jobs['late'], '2/3'), (jobs['late'][:-1] + ('2',), '1/3'), (jobs['card-table'], '1/3'),
                        (('late', 'make', CLASSIC, '20', '1'), '1/3')):
        assert 'another' in tool(words, '--shard', part, '--output', late[0], code=1)
    for words in jobs.values():
        for part in ('0/8', '9/8', 'a/b', '1'):
            assert '--shard' in tool(words, '--shard', part, '--output', cards, code=2)
        for more in (('--shard', '1/2'), ('--output', cards), ('--shard',)):
            tool(words, *more, code=2)
    with open(late[0], 'rb') as file:
        data = file.read()
    for old, new in ((b'kind late', b'kind lute'), (b'items 20', b'items xx'), (b'items 20', b'items 99')):
        for path in late:
            with open(path, 'rb') as file:
                changed = file.read().replace(old, new)
            with open(path, 'wb') as file:
                file.write(changed)
        refusal = run('merge', *late, code=1)
        assert ('unknown kind' if b'lute' in new else 'not a file' if b'xx' in new else 'missing') in refusal, refusal
        for path in late:
            with open(path, 'rb') as file:
                changed = file.read().replace(new, old)
            with open(path, 'wb') as file:
                file.write(changed)
    with open(late[0], 'rb') as file:
        assert file.read() == data


if __name__ == '__main__':
    cases.main(globals())
