#!/usr/bin/env python3
"""Checks what clients of several servers received (cluster.py), independently of how the test produced it. In FOLDER,
*.record are the games as one of the servers returns them, and client-*.json is what one client saw and which choices were
acknowledged.

  1. Every acknowledged choice is in the record of its game, where it belongs, exactly once.
  2. What a client saw is a beginning of the record, without the lines that its seat may not see.
  3. Every game is over and passes `pyramids verify`.

usage: cluster_check.py PYRAMIDS FOLDER"""
import glob
import json
import os
import subprocess
import sys

COMMAND, FOLDER = sys.argv[1:3]


def is_hidden(line, seat):
    """Another seat's deal, or the secret, which is published at the end."""
    return line.startswith('deal ') and line.split(' ')[1] != str(seat)


def is_choice(line, seat, choice):
    words, said = choice.split(' '), line.split(' ')
    if words[0] == 'take':
        return said[:3] == ['take', str(seat), words[1]]
    if words[0] == 'draw':
        return said[:2] == ['draw', str(seat)]
    if len(words) == 2:
        return said[:2] == ['keep', str(seat)] and set(said[2:]) == set(words)
    return line == f'mark {seat} {choice}'


def phase_of(lines, number, choice):
    """The lines that the choices of a phase led to: one line per seat, from its start. Only one seat takes or draws a
    card in a phase; a seat that completed both cards does it again in the next phase."""
    return lines[number:number + (1 if choice.split(' ')[0] in ('take', 'draw') else 4)]


def check_client(path, records):
    with open(path, encoding='utf-8') as file:
        client = json.load(file)
    name, lines, seat = os.path.basename(path), records[client['code']], client['seat']
    # While a game runs, the deals of other seats are missing and all other lines are there.
    visible = [line for line in lines[:client['version']] if not is_hidden(line, seat)]
    assert client['lines'] == visible[:len(client['lines'])] and len(client['lines']) == len(visible), \
        f'{name}: what was seen is no beginning of the record'
    seen = set()
    for phase, choice in client['acknowledged']:
        assert phase not in seen, f'{name}: two choices were acknowledged in phase {phase}'
        seen.add(phase)
        made = phase_of(lines, phase, choice)
        found = [line for line in made if is_choice(line, seat, choice)]
        assert len(found) == 1, f'{name}: {choice} of phase {phase} is there {len(found)} times: {made}'
    # The record has no further choices of this seat.
    made = [line for line in lines if line.split(' ')[:2] in ([kind, str(seat)]
        for kind in ('keep', 'mark', 'take', 'draw'))]
    # Except choices that a bot made for a player who was away for a while.
    assert len(made) == len(seen) or (client['strayed'] and len(made) > len(seen)), \
        f'{name}: {len(made)} choices in the record, {len(seen)} acknowledged'
    return len(seen)


def main():
    records, choices = {}, 0
    for path in glob.glob(os.path.join(FOLDER, '*.record')):
        done = subprocess.run([COMMAND, 'verify', path], capture_output=True, text=True, check=False)
        assert not done.returncode, f'{path}: {done.stdout}{done.stderr}'
        done = subprocess.run([COMMAND, 'replay', path], capture_output=True, text=True, check=False)
        assert 'finished' in done.stdout, f'{path}: {done.stdout}{done.stderr}'
        with open(path, encoding='utf-8') as file:
            records[os.path.basename(path).split('.')[0]] = file.read().splitlines()
    clients = glob.glob(os.path.join(FOLDER, 'client-*.json'))
    assert clients and records, 'nothing to judge'
    for path in clients:
        choices += check_client(path, records)
    print(f'{len(records)} games, {len(clients)} clients, {choices} acknowledged choices: all of them hold')


if __name__ == '__main__':
    try:
        main()
    except AssertionError as wrong:
        print(wrong)
        sys.exit(1)
