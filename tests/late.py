#!/usr/bin/env python3
"""The last three turns, solved exactly (tools/late.c, tests/data/late.txt): expert and master are exact in the last one and
lose little before. usage: late.py LATE EDITION POSITIONS"""
import re
import subprocess
import sys

MOST_LOST = {'expert': 0.15, 'master': 0.05}

failed = False
for bot in ('novice', 'casual', 'club', 'flatmc', 'expert', 'master'):
    text = subprocess.run([sys.argv[1], 'score', *sys.argv[2:4], bot], capture_output=True, text=True, check=True).stdout
    print(text.rstrip())
    exact = [float(n) for n in re.findall(r'exact ([\d.]+)% of', text)]
    counts = [int(n) for n in re.findall(r'% of (\d+)', text)]
    lost = float(re.search(r'all: lost ([\d.]+)', text).group(1))
    if sum(counts) < 1000 or (bot in MOST_LOST and (exact[0] < 100 or lost > MOST_LOST[bot])):
        print(f'{bot}: too much is lost')
        failed = True
sys.exit(failed)
