#!/usr/bin/env python3
"""A complete bot: marks as many spaces as it can, prefers the tomb, and takes the first card of the display.

pyramids sim --bots ./docs/examples/mybot.py,random --games 20"""
import os
import subprocess
import sys

PYRAMIDS = os.environ.get('PYRAMIDS', 'pyramids')
EDITION = ['--edition', os.environ['EDITION']] if 'EDITION' in os.environ else []


def legal_choices(lines, seat):
    """The rules are a command away: every legal choice, one per line."""
    text = '\n'.join(lines) + '\n'
    command = [PYRAMIDS, 'legal', '-', '--view', '--seat', seat, *EDITION]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.splitlines()


def worth(choice):
    """Spaces marked, row 5 (where the tomb is) twice."""
    if ':' not in choice:
        return choice.startswith('take')
    spaces = ''.join(part.split(':')[1] for part in choice.split('+'))
    return len(spaces) // 2 + spaces.count('5')


def main():
    lines = []
    for line in sys.stdin:
        line = line.rstrip('\n')
        if line.startswith('choose '):
            print(max(legal_choices(lines, line.split()[1]), key=worth), flush=True)
        elif line.startswith('pyramids-record '):
            lines = [line]               # a new game
        else:
            lines.append(line)


if __name__ == '__main__':
    main()
