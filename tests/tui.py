#!/usr/bin/env python3
"""Runs the full-screen client in tmux, as a person at a terminal does. Only the relevant parts of captures are
compared. usage: tui.py PYRAMIDS SOURCE_ROOT [--short] [CASE]"""
import atexit
import base64
import hashlib
import http.client
import json
import os
import re
import resource
import secrets
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

import cases
import ports

SHORT = '--short' in sys.argv
ARGS = [word for word in sys.argv[1:] if word != '--short']
COMMAND, ROOT = os.path.abspath(ARGS[0]), os.path.abspath(ARGS[1])
PLAIN = os.path.join(ROOT, 'tests/data/plain.edition')
RECORD = os.path.join(ROOT, 'tests/data/plain-2.pyr')
WAIT = 60


class Terminal:
    """One tmux server with one window, ended after use."""
    count = 0

    def __init__(self, folder, *words, width=80, height=24, shell=None, **env):
        Terminal.count += 1
        self.socket, self.game = os.path.join(folder, f't{Terminal.count}'), 0
        base = {'PATH': os.environ['PATH'], 'HOME': folder, 'XDG_DATA_HOME': folder, 'LC_ALL': 'C.UTF-8', 'LANGUAGE': 'en',
            'TERM': 'tmux-256color',
                'PS1': '$ ', 'USER': 'Ursa'}
        base.update({name: os.environ[name] for name in os.environ if name.endswith('SAN_OPTIONS')})
        base.update(env)
        setting = ' '.join(f"{name}='{value}'" for name, value in base.items())
        command = shell or ' '.join([COMMAND, *(f"'{word}'" for word in words)]) + '; echo "EXIT=$?"; exec cat'
        line = f"exec env -i {setting} {'bash --norc --noprofile -i' if shell == 'bash' else f'sh -c {quote(command)}'}"
        self.tmux('-f', '/dev/null', 'new-session', '-d', '-x', str(width), '-y', str(height), line)

    def tmux(self, *words):
        return subprocess.run(['tmux', '-u', '-S', self.socket, *words], capture_output=True, text=True, timeout=WAIT,
            check=False,
                              env=dict(os.environ, LC_ALL='C.UTF-8', TERM='xterm-256color')).stdout

    def text(self, *words):
        """The screen, once it no longer changes, because a half-drawn page is no answer."""
        last = self.tmux('capture-pane', '-p', *words)
        for _ in range(20):
            time.sleep(0.01)
            busy = self.is_busy()
            text = self.tmux('capture-pane', '-p', *words)
            if still(text) == still(last) and not busy:
                break
            last = text
        return text

    def is_busy(self):
        """Whether the game would continue with more time: on a crowded machine it may stop in the middle of a page."""
        try:
            if not self.game:
                pane = self.tmux('display-message', '-p', '#{pane_pid}').strip()
                self.game = next((pid for pid in children(int(pane)) if is_game(pid)), 0) if pane else 0
            with open(f'/proc/{self.game}/stat', encoding='utf-8', errors='replace') as source:
                return source.read().rsplit(')', 1)[1].split()[0] == 'R'
        except OSError:
            self.game = 0
            return False

    def keys(self, *keys):
        self.tmux('send-keys', *keys)

    def type(self, text):
        self.tmux('send-keys', '-l', text)

    def mouse(self, button, x, y):
        """A mouse event at a column and row, from 0, in the encoding of old terminals."""
        self.tmux('send-keys', '-H', '1b', '5b', '4d', *(f'{32 + n:02x}' for n in (button, x + 1, y + 1)))

    def click(self, x, y):
        self.mouse(0, x, y)
        self.mouse(3, x, y)

    def resize(self, width, height):
        self.tmux('resize-window', '-x', str(width), '-y', str(height))

    def wait(self, wanted, seconds=None):
        """Waits until a pattern is on the screen; returns the screen."""
        end = time.monotonic() + (seconds or WAIT)
        while True:
            text = self.text()
            if re.search(wanted, text, re.M):
                return text
            assert time.monotonic() < end and not re.search(r'^EXIT=', text, re.M), f'no {wanted!r} on\n{text}'
            time.sleep(0.02)

    def wait_gone(self, pattern):
        end = time.monotonic() + WAIT
        while re.search(pattern, self.text(), re.M):
            assert time.monotonic() < end, f'{pattern!r} stays on\n{self.text()}'
            time.sleep(0.02)

    def process(self):
        """The process of the game in the window."""
        root = int(self.tmux('display-message', '-p', '#{pane_pid}'))
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            for pid in [root] + children(root):
                if is_game(pid):
                    return pid
            time.sleep(0.02)
        raise AssertionError('no process')

    def facts(self):
        """Whether the terminal is restored: main screen, cursor shown, no mouse."""
        return self.tmux('display-message', '-p',
            '#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_cursor_flag}').strip()

    def end(self):
        self.tmux('kill-server')


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def children(pid):
    found = []
    for entry in os.listdir('/proc'):
        if entry.isdigit():
            try:
                with open(f'/proc/{entry}/stat', encoding='utf-8', errors='replace') as source:
                    if int(source.read().rsplit(')', 1)[1].split()[1]) == pid:
                        found += [int(entry)] + children(int(entry))
            except (OSError, IndexError):
                pass
    return found


def is_game(pid):
    try:
        with open(f'/proc/{pid}/cmdline', 'rb') as source:
            return source.read().split(b'\0')[0].endswith(b'pyramids')
    except OSError:
        return False


def run(*words, code=0, text=None):
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, timeout=120, check=False, input=text,
                          env=dict(os.environ, LC_ALL='C.UTF-8', LANGUAGE='en'))
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done.stdout


def saved(folder):
    where = os.path.join(folder, 'pyramids/games')
    return sorted(os.path.join(where, name) for name in os.listdir(where)
        if name.endswith('.pyr')) if os.path.isdir(where) else []


def read(path):
    with open(path, encoding='utf-8') as source:
        return source.read()


PROMPTS = (('Pick two cards', ('1', '2', 'Enter')), ('Enter keeps', ('Enter',)), ('Enter places', ('Enter',)),
    ('Red cross: one more', ('Enter',)),
           ('Placed. Enter', ('Enter',)), ('Enter passes', ('Enter',)), ('Choose a card', ('Enter',)),
           ('it is your turn', ('Enter',)), ('turn is taken back', ('Enter',)))

# The same one never comes twice in a row: as long as it is shown, its answer has not been read.
ANSWERED_ONCE = ('Enter keeps', 'Enter places', 'Placed. Enter')


def step(terminal, seen=None, until=None):
    """Answers the game's next prompt with the first legal choice. False when the game is over, or the pattern is on the
    screen."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        text = terminal.text()
        if until and re.search(until, text, re.M):
            return False
        if 'The game is over.' in text:
            assert not until, text
            return False
        assert not re.search(r'^EXIT=', text, re.M), text
        for prompt, keys in PROMPTS:
            if prompt in text:
                if seen is not None:
                    seen.append(prompt)
                terminal.keys(*keys)
                # Only a changed screen is answered again; a moving spinner does not count, nor do moves of others
                # meanwhile.
                now = terminal.text()
                while (still(now) == still(text) or (prompt in ANSWERED_ONCE and prompt in now)) and time.monotonic() < end:
                    time.sleep(0.01)
                    now = terminal.text()
                return True
        time.sleep(0.02)
    raise AssertionError('nothing is asked on\n' + terminal.text())


def play(terminal, until=None, seen=None):
    """Continues to the end, or until a pattern is on the screen."""
    for _ in range(400):
        if not step(terminal, seen, until):
            return
    raise AssertionError('the game does not end')


def case_whole_game(folder):
    """By keys alone at 80x24 against two bots; the end matches the record."""
    terminal = Terminal(folder, 'play', '--players', '3', '--bots', 'novice,club', '--seed', '11', '--name', 'Zoë')
    text = terminal.wait('Pick two')
    assert 'Zoë' in text and text.count('to the tomb') == 4, text
    terminal.keys('2')
    terminal.wait('✓ keep')
    terminal.keys('Right', 'Right', 'Space')
    terminal.wait('Enter keeps these two')
    terminal.keys('Enter')
    text = terminal.wait('Enter places')
    assert 'Round 1 of 4, turn 1 of 7' in text and '[' in text and 'novice 2' in text and 'club 3' in text, text
    # Moving, turning, mirroring; a pattern that does not fit gives the reason and cannot be placed.
    before = text
    terminal.keys('Down', 'Down', 'Down', 'Down')
    text = terminal.wait(r'\(R(9|10)\)')
    assert '!' in text
    terminal.keys('Enter')
    time.sleep(0.2)
    assert 'Placed.' not in terminal.text()
    terminal.keys('n')
    terminal.wait('Enter places')
    terminal.keys('r', 'f', 'R', 's')
    text = terminal.wait('One space instead|does|has to|fits nowhere')
    assert 's pattern' in text and 'rotate' not in text and 'mirror' not in text, text
    terminal.keys('s', 'Tab', '1', 'n', 'N')
    terminal.wait('Enter places')
    terminal.keys('Enter')
    text = terminal.wait('Placed|one more space')
    assert '▐' in text, text
    terminal.keys('u')
    text = terminal.wait('Taken back')
    assert '▐' not in text
    # Sheets.
    terminal.keys('?')
    terminal.wait('mirror')
    terminal.keys('Tab')
    text = terminal.wait('the worst one is subtracted')
    for sign in '▼Ω♦■☼☠♥×●':
        assert sign in text, (sign, text)
    terminal.keys('Escape')
    terminal.wait('Enter places')
    terminal.keys('o')
    terminal.wait('pyramid points 0')
    terminal.keys('Escape', 'L')
    terminal.wait('Zoë keeps')
    terminal.keys('Escape')
    terminal.wait('Enter places')
    # When asked whether to leave, the screen shows only the keys that answer.
    terminal.keys('q')
    text = terminal.wait('Leave the game')
    assert 'y yes' in text and 'n no' in text and not re.search('Enter|rotate|help|players', text), text
    terminal.keys('n')
    terminal.wait('Enter place  r rotate')
    seen = []
    play(terminal, seen=seen)
    assert 'Choose a card' in seen and 'Placed. Enter' in seen, set(seen)
    text = terminal.text()
    record = saved(folder)
    assert len(record) == 1, record
    report = json.loads(run('replay', '--json', record[0]))
    assert report['finished'] and len(report['players']) == 3
    for player in report['players']:
        row = [line for line in text.split('\n') if player['name'] in line][0].split()
        assert row[-1] == str(player['total']), (row, player)
    winner = report['players'][report['winners'][0] - 1]
    assert re.search(rf"★ {winner['name']}", text) and f"{winner['name']} wins. {winner['total']} points, " in text, text
    # Again with the same players and other cards.
    assert 'N rematch' in text, text
    terminal.keys('N')
    terminal.wait('Zoë, these four cards')
    both = [read(path).split('\n') for path in saved(folder)]
    players, deals = ([[line for line in lines if line.startswith(word)] for lines in both] for word in ('player ', 'deal '))
    assert len(both) == 2 and players[0] == players[1] and deals[0] != deals[1], both
    terminal.keys('q', 'y')
    terminal.wait('EXIT=0')
    assert terminal.facts().startswith('0 1 0'), terminal.facts()
    assert before
    terminal.end()


def case_take_back(folder):
    """A turn against bots can be taken back; the same seed gives the same game."""
    terminal = Terminal(folder, 'play', '--new', '--bots', 'novice', '--seed', '4')
    play(terminal, 'turn 2 of 7')
    record = saved(folder)[0]
    first = read(record)
    terminal.wait('Enter places|fits nowhere')
    terminal.keys('u')
    terminal.wait('Take back your last turn')
    terminal.keys('y')
    terminal.wait('turn 1 of 7')
    assert len(read(record).split('\n')) < len(first.split('\n'))
    play(terminal, 'turn 2 of 7')
    again = [line for line in read(record).split('\n') if not line.startswith(';')]
    assert again[:len(again) - 1] == [line for line in first.split('\n') if not line.startswith(';')][:len(again) - 1]
    terminal.end()


def case_resizing(folder):
    terminal = Terminal(folder, 'play', '--new', '--players', '4', '--bots', 'novice', '--seed', '3', '--name', 'Ana')
    play(terminal, 'turn 2 of 7')
    small = terminal.wait('Enter places|fits nowhere')
    terminal.resize(120, 40)
    text = terminal.wait('what happened')
    assert 'Ana keeps' in text and 'novice 4' in text and 'Display' in text, text
    terminal.resize(60, 20)
    text = terminal.wait('Please enlarge it')
    assert '60 columns and 20 rows' in text, text
    terminal.keys('n')                       # the game still accepts keys
    terminal.resize(200, 60)
    terminal.wait('what happened')
    terminal.resize(20, 5)
    terminal.wait('window')
    terminal.resize(1, 1)
    terminal.resize(80, 24)
    terminal.wait('Enter places|fits nowhere')
    terminal.keys('N')
    end = time.monotonic() + WAIT
    while strip(terminal.text()) != strip(small) and time.monotonic() < end:
        time.sleep(0.05)
    assert strip(terminal.text()) == strip(small), small + terminal.text()
    # Placing while the window changes.
    for width, height in ((100, 30), (81, 25), (140, 45), (80, 24)):
        terminal.resize(width, height)
        for _ in range(3):
            step(terminal)
    terminal.end()


def case_kill_and_resume(folder):
    """Nothing is lost when it is killed, and a new start changes no card."""
    terminal = Terminal(folder, 'play', '--players', '3', '--bots', 'novice', '--seed', '9', '--name', 'Ana')
    play(terminal, 'turn 3 of 7')
    terminal.wait('Enter places|fits nowhere')
    before = read(saved(folder)[0])
    screen = terminal.text()
    os.kill(terminal.process(), signal.SIGKILL)
    terminal.wait('EXIT=137')
    terminal.end()
    terminal = Terminal(folder, 'play')
    text = terminal.wait('Continue your game')
    assert re.search(r'Round 1 of 4, turn 3 of 7'.replace(' ', r'[ ║\n]+'), text) and 'Ana' in text, text
    # A second window does not offer a game in progress.
    terminal.keys('c')
    terminal.wait('Enter places|fits nowhere')
    other = Terminal(folder, 'play', '--continue')
    other.wait('No saved game can be resumed: this is a new one')
    other.keys('1', '2')
    other.wait('Enter keeps|Enter keep')
    other.keys('q', 'y')
    other.wait('EXIT=0')
    other.end()
    assert strip(terminal.text()) == strip(screen), (screen, terminal.text())
    play(terminal, 'turn 4 of 7')
    after = read([path for path in saved(folder) if read(path).startswith(before.split('; sealed')[0][:400])][0])
    kept = [line for line in before.split('\n') if not line.startswith(';')]
    assert [line for line in after.split('\n') if not line.startswith(';')][:len(kept) - 1] == kept[:-1]
    terminal.keys('q', 'y')
    terminal.wait('EXIT=0')
    terminal.end()
    # The same game from its seed, without the interruption, has the same reveals.
    with tempfile.TemporaryDirectory() as elsewhere:
        terminal = Terminal(elsewhere, 'play', '--players', '3', '--bots', 'novice', '--seed', '9', '--name', 'Ana')
        play(terminal, 'turn 4 of 7')
        straight = [line for line in read(saved(elsewhere)[0]).split('\n') if line.startswith(('reveal', 'show', 'deal'))]
        assert straight == [line for line in after.split('\n') if line.startswith(('reveal', 'show',
            'deal'))][:len(straight)]
        terminal.end()


def case_kept_marks(folder):
    """Marks that are placed but not confirmed are also kept with a game on this computer; without a full screen they are
    typed again."""
    terminal = Terminal(folder, 'play', '--bots', 'novice', '--seed', '9', '--name', 'Ana')
    play(terminal, 'turn 1 of 7')
    while 'Placed' not in terminal.wait('Placed. Enter|Red cross|Enter places|fits nowhere'):
        terminal.keys('Enter')
    placed = terminal.text().count('▐')
    assert placed > 0
    path = saved(folder)[0]
    os.kill(terminal.process(), signal.SIGKILL)
    terminal.wait('EXIT=137')
    terminal.end()
    assert re.search('^; draft 1( [0-9a-f]{16})+$', read(path), re.M), read(path)
    terminal = Terminal(folder, 'play', '--plain', '--continue', height=60)
    assert 'turn 1 of 7' in terminal.wait('^> *$')
    terminal.type('quit\n')
    terminal.wait('EXIT=0')
    terminal.end()
    terminal = Terminal(folder, 'play', '--continue')
    text = terminal.wait('Placed. Enter confirms')
    assert text.count('▐') == placed, text
    terminal.keys('Enter')
    terminal.wait('turn 2 of 7')
    assert '; draft' not in read(path)
    terminal.end()


def case_many_saved(folder):
    """All unfinished games are offered, the newest first; each can be continued, and by its name without a question."""
    for name in ('Ana', 'Ben', 'Cleo'):
        terminal = Terminal(folder, 'play', '--new', '--bots', 'novice', '--seed', '4', '--name', name)
        play(terminal, 'turn 1 of 7')
        terminal.keys('q', 'y')
        terminal.wait('EXIT=0')
        terminal.end()
    terminal = Terminal(folder, 'play')
    text = terminal.wait('Continue a game')
    rows = [line for line in text.split('\n') if 'novice 2: Round 1 of 4, turn 1 of 7' in line]
    assert [re.search('Ana|Ben|Cleo', line)[0] for line in rows] == ['Cleo', 'Ben',
        'Ana'] and '▸' in rows[0] and 'New game' in text, text
    terminal.keys('Down', 'Enter')
    assert 'Ben' in terminal.wait('Enter places|fits nowhere')
    # It is being played now, and no longer offered.
    other = Terminal(folder, 'play')
    text = other.wait('Continue a game')
    assert 'Cleo' in text and 'Ana' in text and 'Ben' not in text, text
    other.keys('Up')
    other.wait('▸ New game')
    other.keys('Enter')
    other.wait('Ursa, these four cards')
    other.end()
    terminal.keys('q', 'y')
    terminal.wait('EXIT=0')
    terminal.end()
    name = [os.path.basename(path)[:-4] for path in saved(folder) if 'player 1 Ana' in read(path)][0]
    terminal = Terminal(folder, 'play', '--resume', name)
    assert 'Ana' in terminal.wait('Enter places|fits nowhere')
    other = Terminal(folder, 'play', '--resume', name, width=120)
    assert 'EXIT=1' in other.wait('is open in another window') + other.wait('EXIT=')
    other.end()
    terminal.end()
    terminal = Terminal(folder, 'play', '--plain', height=60)
    text = terminal.wait('Number of the game to continue, or Enter for a new one')
    number = re.search(rf'^ *(\d+)  {name} ', text, re.M)[1]
    terminal.type('99\n')
    terminal.wait(r'Type a number from 1 to \d')
    terminal.type(number + '\n')
    terminal.wait(f'Game {name} continues')
    terminal.type('quit\n')
    terminal.wait('EXIT=0')
    terminal.end()


def case_new_cards(folder):
    """A new game beside a saved one has cards of its own, not those of the saved one."""
    terminal = Terminal(folder, 'play', '--new', '--bots', 'novice', '--seed', '5', '--name', 'Ana')
    play(terminal, 'turn 1 of 7')
    terminal.keys('q', 'y')
    terminal.wait('EXIT=0')
    terminal.end()
    terminal = Terminal(folder, 'play', '--bots', 'novice', '--seed', '77')
    terminal.wait('Continue your game')
    terminal.keys('n')
    assert 'seed 77' in terminal.wait('Pick two')
    terminal.end()


def case_not_begun(folder):
    """A game without a choice is neither kept nor offered."""
    terminal = Terminal(folder, 'play', '--bots', 'novice', '--name', 'Ana')
    terminal.wait('Pick two')
    assert len(saved(folder)) == 1
    terminal.keys('q', 'y')
    terminal.wait('EXIT=0')
    terminal.end()
    assert not saved(folder)


def case_undo_draw(folder):
    """Q5: a card drawn from the deck has been seen: the turn before can no longer be taken back."""
    terminal = Terminal(folder, 'play', '--new', '--bots', 'novice', '--seed', '4', '--name', 'Ana')
    play(terminal, 'Choose a card')
    record = saved(folder)[0]
    terminal.keys('d', 'Enter')
    terminal.wait('Enter places|fits nowhere|Choose a card')
    drawn = [line for line in read(record).split('\n') if line.startswith('draw 1 ')]
    assert len(drawn) == 1, read(record)
    terminal.keys('u')
    text = terminal.wait('can no longer be taken back .Q5.')
    assert 'Take back your last turn' not in text and 'u undo' not in text, text
    # Later choices can be taken back, but nothing before.
    play(terminal, 'turn [1-7] of 7')
    for _ in range(3):
        terminal.keys('u', 'y')
        time.sleep(0.05)
    assert [line for line in read(record).split('\n') if line.startswith('draw 1 ')][:1] == drawn
    terminal.end()


def case_draft(folder):
    """Marks that are placed but not confirmed survive a restart of the server and of this program, and so does a sealed
    choice."""
    server = Server(folder)
    ben, code, terminal = with_ben(folder, server)
    terminal.keys('1', '2', 'Enter')
    terminal.wait('Sealed. Waiting for Ben')
    ben.play(1, 1)
    terminal.wait('Enter places|fits nowhere')
    terminal.keys('Enter')
    while 'Red cross' in terminal.wait('Placed. Enter|Red cross'):
        terminal.keys('Enter')
    placed = terminal.text().count('▐')
    assert placed > 0
    for _ in range(2):
        server.end(signal.SIGKILL)
        assert 'Your marks are safe' in terminal.wait('Connection lost')
        server = Server(folder, server.port)
        terminal.wait_gone('Connection lost')
        text = terminal.wait('Placed. Enter confirms')
        assert text.count('▐') == placed, text
    os.kill(terminal.process(), signal.SIGKILL)
    terminal.end()
    terminal = Terminal(folder, 'play', '--server', server.url, '--table', code)
    text = terminal.wait('Placed. Enter confirms')
    assert text.count('▐') == placed, text
    kept = os.path.join(folder, 'pyramids/servers', f'127.0.0.1_{server.port}.cookie.{code}.table')
    assert os.stat(kept).st_mode & 0o777 == 0o600
    terminal.keys('Enter')
    terminal.wait('turn 2 of 7')
    # Ben has not chosen in this turn, so that a choice stays sealed.
    while 'Placed' not in terminal.wait('Placed. Enter|Red cross|Enter places|fits nowhere'):
        terminal.keys('Enter')
    terminal.keys('Enter')
    terminal.wait('Sealed. Waiting for Ben')
    server.end(signal.SIGKILL)
    terminal.wait('Connection lost')
    server = Server(folder, server.port)
    terminal.wait_gone('Connection lost')
    terminal.wait('Sealed. Waiting for Ben')
    terminal.end()
    server.end()


def case_wrong_host(folder):
    """An address that does not exist: the error names the cause, and only a temporary one is tried again."""
    name = 'x' * 64 + '.example'             # a part of a name has 63 letters at most: no server is asked to know that
    terminal = Terminal(folder, 'play', '--server', f'http://{name}:8080', width=160)
    assert 'EXIT=1' in terminal.wait('unknown host; check the spelling') + terminal.wait('EXIT=')
    terminal.end()
    port = ports.reserve()
    terminal = Terminal(folder, 'play', '--server', f'http://127.0.0.1:{port}', '--name', 'Ana')
    terminal.wait('connection refused')
    server = Server(folder, port)            # it is tried again
    terminal.wait('Create a public table')
    terminal.end()
    # TLS to a server without it, and plain HTTP to a server with TLS.
    terminal = Terminal(folder, 'play', '--server', f'https://127.0.0.1:{port}')
    # it wraps within its box
    terminal.wait('the server does not use TLS; is its address http://[?]'.replace(' ', r'[\s║]+'))
    terminal.end()
    server.end()
    silent = socket.create_server(('127.0.0.1', 0))
    threading.Thread(target=lambda: [silent.accept()[0].close() for _ in range(50)], daemon=True).start()
    terminal = Terminal(folder, 'play', '--server', f'http://127.0.0.1:{silent.getsockname()[1]}', width=160)
    terminal.wait('is its address https://')
    terminal.end()


def case_rules(folder):
    """The rules in the help: one key shows the rule that a message cites; scrolling; a search by tag and by word, in every
    mode."""
    terminal = Terminal(folder, 'play', '--new', '--bots', 'novice', '--seed', '4', '--name', 'Ana')
    terminal.wait('Pick two')
    terminal.keys('1', '2', 'Enter')
    terminal.wait('Enter places')
    terminal.keys('Down', 'Down', 'Down', 'Down')
    text = terminal.wait(r'\(R(9|10)\)')
    tag = re.search(r'\((R\d+)\)', text)[1]
    assert f'w {tag}' in text, text          # in the last line
    terminal.keys('w')
    terminal.wait(rf'▸ {tag} ')
    terminal.keys('/')
    terminal.type('q3')
    text = terminal.wait('▸ Q3 ')
    assert 'is lost' in text, text
    terminal.keys('Enter', '/')
    terminal.type('qqq')                     # letters do not act as keys during input
    terminal.wait('No rule contains')
    terminal.keys('BSpace', 'BSpace', 'BSpace')
    terminal.type('potion')
    terminal.wait('▸ R11')
    terminal.keys('Enter', 'n')
    terminal.wait(r'▸ Q\d')
    terminal.keys('End')
    terminal.wait('^ *E5 ')
    terminal.keys('Home')
    terminal.wait('^ *R1 ')
    terminal.keys('Escape')
    terminal.wait(r'\(R(9|10)\)')
    # From the first page of the help: Tab, Tab.
    terminal.keys('?')
    terminal.wait('mirror')
    terminal.keys('Tab')
    terminal.wait('the worst one is subtracted')
    terminal.keys('Tab')
    terminal.wait('▸ |R1 ')
    terminal.keys('Escape', 'q', 'y')
    terminal.wait('EXIT=0')
    terminal.end()
    terminal = Terminal(folder, 'play', '--replay', RECORD, '--edition', PLAIN, LANGUAGE='de')
    terminal.wait('Zeile')
    terminal.keys('?', '/')
    terminal.type('r17')
    terminal.wait('▸ R17')
    terminal.keys('Enter', 'Escape', 'q')
    terminal.wait('EXIT=0')
    terminal.end()


def case_escapes(folder):
    """1.12: a server's texts reach the terminal without their control characters, wherever they are shown."""
    evil = 'x\x1b]0;owned\x07\x1b[31m\u009b31m\u202e'
    hello = {'type': 'hello', 'server': 'x', 'name': 'Ana'}
    seats = [{'kind': 'person', 'name': 'Ana', 'here': True}, {'kind': 'bot', 'name': evil}]
    table = {'type': 'table', 'code': 'ABC', 'state': 'running', 'edition': evil, 'you': 1, 'host': False, 'seats': seats}
    raw = os.path.join(folder, 'raw')
    for messages, status, body in (([], b'400 Bad Request', json.dumps({'error': {'code': evil}}).encode()),
                                   ([hello, {'type': 'error', 'code': evil}], b'200 OK', None),
                                   ([hello, table], b'200 OK', None)):
        liar = Liar(messages, status, body or b'{"visitor": {"name": "Ana"}}')
        command = f"{COMMAND} play --server http://127.0.0.1:{liar.port} --table ABC 2>{raw}; echo EXIT=$?; exec cat"
        terminal = Terminal(folder, shell=command, width=120)
        if status != b'200 OK' or len(messages) == 2 and messages[1] is table:
            terminal.wait('EXIT=1')
        else:
            terminal.wait('Connecting|refuses|Waiting')
            terminal.keys('q', 'y')
            terminal.wait('EXIT=')
        with open(raw, 'rb') as source:
            said = source.read()
        assert not re.search(rb'[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae', said), said
        assert 'owned' not in terminal.tmux('display-message', '-p', '#{pane_title}')
        terminal.end()
        liar.stop()


def still(text):
    """The screen without the spinner and check marks."""
    return re.sub(r'[⠀-⣿✓]', ' ', text)


def strip(text):
    """The same without the last lines, which describe the moment."""
    return [line.rstrip() for line in still(text).split('\n')][1:22]


def case_signals(folder):
    """However it ends, the terminal is restored."""
    for name in ('TERM', 'HUP', 'INT', 'SEGV', 'ABRT', 'QUIT'):
        before, after = (os.path.join(folder, f'{name}.{when}') for when in ('before', 'after'))
        script = f'ulimit -c 0; stty -a >{before}; {COMMAND} play --new --bots novice --seed 2; echo "EXIT=$?"; stty -a ' \
            f'>{after}; exec cat'
        terminal = Terminal(folder, shell=script, ASAN_OPTIONS='handle_segv=0:handle_abort=0:detect_leaks=0')
        terminal.wait('Pick two')
        assert terminal.facts().startswith('1 0 1'), terminal.facts()
        os.kill(terminal.process(), getattr(signal, 'SIG' + name))
        text = terminal.wait('EXIT=')
        assert f"EXIT={128 + getattr(signal, 'SIG' + name)}" in text, (name, text)
        end = time.monotonic() + WAIT
        while not (os.path.exists(after) and read(after)) and time.monotonic() < end:
            time.sleep(0.02)
        assert read(before) == read(after), (name, read(before), read(after))
        assert terminal.facts().startswith('0 1 0'), (name, terminal.facts())
        terminal.end()
    # The terminal goes away.
    terminal = Terminal(folder, 'play', '--new', '--bots', 'novice', '--seed', '2')
    terminal.wait('Pick two')
    pid = terminal.process()
    terminal.end()
    end = time.monotonic() + WAIT
    while os.path.exists(f'/proc/{pid}') and time.monotonic() < end:
        time.sleep(0.02)
    assert not os.path.exists(f'/proc/{pid}')


def case_suspend(folder):
    terminal = Terminal(folder, shell='bash')
    terminal.wait(r'\$')
    terminal.type(f'stty -a >{folder}/before; {COMMAND} play --new --bots novice --seed 2 --name Ana\n')
    terminal.wait('Pick two')
    terminal.keys('C-z')
    terminal.wait('Stopped')
    terminal.type(f'stty -a >{folder}/after\n')
    terminal.wait(r'after\n')
    assert terminal.facts().startswith('0 1 0'), terminal.facts()
    terminal.type('fg\n')
    terminal.wait('Pick two')
    assert terminal.facts().startswith('1 0 1'), terminal.facts()
    assert read(f'{folder}/before') == read(f'{folder}/after')
    terminal.keys('1', '2', 'Enter')
    terminal.wait('Enter places')
    terminal.keys('q', 'y')
    terminal.wait(r'^\$\s*\Z')
    terminal.end()


def case_mouse(folder):
    """Pointing moves the pattern, a click places it, the wheel turns it, the keys in the last line can be clicked."""
    terminal = Terminal(folder, 'play', '--new', '--bots', 'novice', '--seed', '5', '--name', 'Ana')
    terminal.wait('Pick two')
    terminal.click(5, 7)
    terminal.wait('✓ keep')
    terminal.click(24, 7)
    text = terminal.wait('Enter keeps these two')
    foot = text.rstrip('\n').split('\n')[-1]
    terminal.click(foot.index('Enter'), 23)
    text = terminal.wait('Enter places')
    rows = text.split('\n')
    entrance = next((rows[3].index(cell) + 1 for cell in ('[▼]', ' ▼ ') if cell in rows[3]))
    terminal.mouse(35, entrance, 3)          # only pointing
    time.sleep(0.2)
    assert 'Placed' not in terminal.text()
    before = terminal.text()
    terminal.mouse(64, entrance, 3)
    end = time.monotonic() + WAIT
    while still(terminal.text()) == still(before):
        assert time.monotonic() < end, before
        time.sleep(0.02)
    terminal.click(entrance, 3)
    text = terminal.wait('Placed|one more space')
    assert '▐▼▌' in text, text
    terminal.end()


def case_hot_seat(folder):
    """Several people at one screen: the choices of others stay hidden."""
    terminal = Terminal(folder, 'play', '--players', '3', '--hot-seat', 'Ana,Ben', '--bots', 'novice', '--seed', '21')
    text = terminal.wait('Ana, it is your turn')
    assert 'to the tomb' not in text and '│ ♦' not in text and 'q quit' in text, text
    terminal.keys('q')
    text = terminal.wait('Leave the game')
    assert "that's me" not in text and 'your turn' not in text, text
    terminal.keys('n')
    terminal.wait('Ana, it is your turn')
    terminal.keys('Enter')
    terminal.wait('Ana, these four cards')
    terminal.keys('1', '2', 'Enter')
    text = terminal.wait('Ben, it is your turn')
    assert 'to the tomb' not in text and 'Ana, these' not in text, text
    # Killed under the cover: Ana's sealed choice is kept, and still hidden.
    os.kill(terminal.process(), signal.SIGKILL)
    terminal.wait('EXIT=137')
    terminal.end()
    assert re.search(r'^; sealed 1 \d+ \d+$', read(saved(folder)[0]), re.M)
    terminal = Terminal(folder, 'play', '--continue')
    terminal.wait('Ben, it is your turn')
    terminal.keys('Enter')
    text = terminal.wait('Ben, these four cards')
    assert text.count('to the tomb') == 4
    terminal.keys('3', '4', 'Enter')
    # The player who sat here last continues, so that people change seats once per turn.
    terminal.wait('Enter places')
    terminal.keys('Enter')
    terminal.wait('Placed|one more')
    marks = terminal.text().count('▐')
    assert marks
    play(terminal, 'Placed')
    terminal.keys('Enter')
    text = terminal.wait('Ana, it is your turn')
    assert '▐' not in text and '●' not in text, text
    # Ben changes his mind before Ana has looked.
    terminal.keys('u')
    terminal.wait('Ben, it is your turn')
    terminal.keys('Enter')
    terminal.wait('Placed')
    terminal.keys('Enter')
    terminal.wait('Ana, it is your turn')
    terminal.keys('Enter')
    text = terminal.wait('Enter places')
    assert '●' not in text and '▐' not in text, text     # Ben's card as it was before the turn
    play(terminal, 'turn 3 of 7')
    terminal.end()
    terminal = Terminal(folder, 'play', '--hot-seat', 'Ana,Ben,Ana')
    assert 'EXIT=2' in terminal.wait('two players have the name Ana') + terminal.wait('EXIT='), terminal.text()
    terminal.end()


def case_unsaved(folder):
    """If a game cannot be saved, the client does not promise that it can be continued."""
    terminal = Terminal(folder, 'play', '--bots', 'novice', '--seed', '5', XDG_DATA_HOME='/dev/null/nowhere')
    terminal.wait('This game cannot be saved')
    terminal.keys('q')
    text = terminal.wait('Leave the game')
    assert 'It could not be saved' in text and 'resume it' not in text, text
    terminal.end()


def case_looks(folder):
    """No colours if they are not wanted, eight if there are no more, letters if signs are missing, line mode without a
    screen."""
    def look(**env):
        with tempfile.TemporaryDirectory() as own:
            terminal = Terminal(own, 'play', '--new', '--bots', 'novice', '--seed', '5', **env)
            terminal.wait('Pick two')
            terminal.keys('1', '2', 'Enter')
            terminal.wait('Enter places')
            plain, rich = terminal.text(), terminal.text('-e')
            terminal.end()
            return plain, rich
    plain, rich = look()
    assert '38;5;' in rich and '48;5;' in rich and '♦' in plain
    plain, rich = look(NO_COLOR='1')
    assert not re.search(r'\x1b\[[0-9;]*[34][0-8][;m]', rich) and '\x1b[' in rich, rich
    for sign in '♦■▼Ω[':
        assert sign in plain, plain
    plain, rich = look(TERM='screen')
    assert '8;5;' not in rich and re.search(r'\x1b\[[0-9;]*4[1-7]m', rich), rich
    plain, rich = look(LC_ALL='C')
    assert plain.isascii() and '+' in plain and ' r ' in plain and '[v]' in plain, plain
    if SHORT:
        return
    assert look(LC_ALL='POSIX', TERM='linux')[0].isascii()
    assert '┌' in look(LC_ALL='xx_XX.UTF-8')[0], 'a locale that this system lacks, but in UTF-8'
    terminal = Terminal(folder, 'play', '--ascii', '--bots', 'novice', '--seed', '5', '--name', 'Jörg', LANGUAGE='de')
    text = terminal.wait('Waehle zwei Karten')
    assert text.isascii() and 'gruen' in text and 'Jorg' in text, text       # a name has no known language
    terminal.end()
    for env in ({'TERM': 'dumb'}, {'TERM': ''}):
        terminal = Terminal(folder, 'play', '--seed', '1', **env)
        terminal.wait(r'^>')
        assert 'keep two' in terminal.text()
        terminal.end()
    terminal = Terminal(folder, 'play', '--seed', '1', '--plain')
    terminal.wait(r'^>')
    terminal.end()
    run('play', '--server', 'http://127.0.0.1:1', code=2)
    run('play', '--replay', RECORD, code=2)


def case_replay(folder):
    terminal = Terminal(folder, 'play', '--replay', RECORD, '--edition', PLAIN, '--playouts', '1024', width=120, height=40)
    text = terminal.wait('Replay plain-2.pyr, line')
    assert 'These four cards are dealt to random 2' in text and text.count('to the tomb') == 4 and '✓ keep' not in text, text
    terminal.keys('Right')
    assert terminal.wait('random 2 keeps').count('✓ keep') == 2, terminal.text()
    terminal.keys('L')
    assert '↑ earlier' in terminal.wait('Esc back'), terminal.text()
    terminal.keys('Escape', ']', ']')
    text = terminal.wait('Round 1 of 4, turn 2 of 7')
    assert 'random 2' in text
    terminal.keys('Right')
    terminal.wait('line 14 of')
    terminal.wait('▐')
    terminal.keys('Tab')
    terminal.wait('─ greedy 1 ')
    terminal.keys('End')
    text = terminal.wait('The game is over')
    assert 'greedy 1 wins. 138 points, ' in text, text
    terminal.keys('[')
    terminal.wait('Round 4 of 4, turn 7 of 7')
    terminal.keys('a')
    terminal.wait(r'Analysis: \d+ of \d+|a luck and skill')
    terminal.wait('a luck and skill', 120)
    text = terminal.wait(r'^.*\?')
    terminal.keys('a')
    text = terminal.wait('Luck and skill')
    assert re.search(r'greedy 1 +138 ', text), text
    terminal.keys('Escape', 'Home')
    terminal.wait('Before the first round')
    terminal.keys('q')
    terminal.wait('EXIT=0')
    terminal.end()
    if SHORT:
        return
    # A long name is shortened to fit the line.
    long = os.path.join(folder, 'the-final-of-the-winter-cup-in-the-old-town-hall.pyr')
    shutil.copy(RECORD, long)
    terminal = Terminal(folder, 'play', '--replay', long, '--edition', PLAIN)
    terminal.wait(r'Replay, line \d+ of \d+ *$')
    terminal.end()
    # A record that breaks the rules is reported with its line.
    bad = os.path.join(folder, 'bad.pyr')
    with open(bad, 'w', encoding='utf-8') as to:
        to.write(read(RECORD).replace('mark 1 5:b1\n', 'mark 1 5:d1\n'))
    terminal = Terminal(folder, 'play', '--replay', bad, '--edition', PLAIN, width=200)
    assert 'EXIT=1' in terminal.wait('bad.pyr:11: ') + terminal.wait('EXIT')
    terminal.end()


class Server:
    def __init__(self, folder, port=0, more=()):
        ready = os.path.join(folder, f'ready{time.monotonic()}')
        self.port = port or ports.reserve()
        self.folder = folder
        self.process = subprocess.Popen([COMMAND, 'serve', '--port', str(self.port), '--no-browser', '--quiet',
            '--ready-file', ready, '--database',
                                         os.path.join(folder, 'server.db'), *more], stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL)
        atexit.register(self.process.kill)   # also when a check fails
        end = time.monotonic() + WAIT
        while not (os.path.exists(ready) and read(ready).strip()):
            assert time.monotonic() < end and self.process.poll() is None, 'the server does not start'
            time.sleep(0.02)
        self.url = f'http://127.0.0.1:{self.port}'

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(WAIT)


class Stranger:
    """An independent client that knows only the protocol."""

    def __init__(self, server, name):
        self.server = server
        answer = self.ask('POST', '/api/visitor', {'name': name})[0]
        self.cookie = answer.getheader('Set-Cookie').split(';')[0]
        self.link, self.lines, self.version = None, [], 0

    cookie = ''

    def ask(self, method, path, body=None):
        web = http.client.HTTPConnection('127.0.0.1', self.server.port, timeout=WAIT)
        web.request(method, path, None if body is None else json.dumps(body),
            {'Content-Type': 'application/json', 'Cookie': self.cookie})
        answer = web.getresponse()
        return answer, answer.read().decode()

    def create(self, *seats):
        return json.loads(self.ask('POST', '/api/tables', {'seats': list(seats), 'public': True})[1])

    def connect(self, code):
        self.link = socket.create_connection(('127.0.0.1', self.server.port), timeout=WAIT)
        self.link.sendall((f'GET /api/socket HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\nUpgrade: '
            f'websocket\r\nConnection: Upgrade\r\n'
                           f'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: '
                           f'{base64.b64encode(secrets.token_bytes(16)).decode()}\r\n'
                           f'Cookie: {self.cookie}\r\n\r\n').encode())
        self.file = self.link.makefile('rb')
        while self.file.readline().strip():
            pass
        self.send(type='open', table=code, have=self.version)

    def frame(self, opcode, data):
        mask = secrets.token_bytes(4)
        size = struct.pack('!B', 0x80 | len(data)) if len(data) < 126 else struct.pack('!BH', 0xfe, len(data))
        self.link.sendall(bytes([0x80 | opcode]) + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def send(self, **message):
        self.frame(1, json.dumps(message).encode())

    def next(self):
        while True:
            head = self.file.read(2)
            if len(head) < 2:
                raise ConnectionError
            opcode, size = head
            size &= 127
            if size > 125:
                size = int.from_bytes(self.file.read(2 if size == 126 else 8), 'big')
            data = self.file.read(size)
            if opcode & 15 == 9:
                self.frame(10, data)
            elif opcode & 15 == 1:
                return json.loads(data)

    def play(self, seat, turns):
        """Makes the first legal choice until so many reveals were seen, or the end."""
        try:
            self.play_on(seat, turns)
        except OSError:
            pass                             # the server was stopped on purpose

    def play_on(self, seat, turns):
        asked = None
        while sum(line.startswith('reveal') for line in self.lines) < turns and not any(line.startswith('winner')
            for line in self.lines):
            message = self.next()
            if message['type'] != 'lines':
                continue
            self.lines, self.version = self.lines + message['lines'], message['to']
            if self.version and self.version != asked:
                legal = run('legal', '-', '--view', '--seat', str(seat), text='\n'.join(self.lines) + '\n').split('\n')
                asked = self.version
                if legal[0]:
                    self.send(type='choose', id=f'c{self.version}', phase=self.version, choice=legal[0])


def with_ben(folder, server):
    """A game of Ben, a stranger who made the table, and Ana in the terminal. Returns Ben, the code and the terminal."""
    ben = Stranger(server, 'Ben')
    code = ben.create({'kind': 'open'}, {'kind': 'open'})['table']['code']
    ben.connect(code)
    ben.send(type='sit', number=secrets.token_hex(32))
    terminal = Terminal(folder, 'play', '--server', server.url, '--table', code, '--name', 'Ana')
    terminal.wait('Ana, these four cards')
    return ben, code, terminal


def case_server(folder):
    """A stranger's table joined by its code; the connection and the server itself are lost in the middle; the game
    continues."""
    server = Server(folder)
    ben, code, terminal = with_ben(folder, server)
    cookie = os.path.join(folder, 'pyramids/servers', f'127.0.0.1_{server.port}.cookie')
    assert os.stat(cookie).st_mode & 0o777 == 0o600
    thread = threading.Thread(target=ben.play, args=(1, 3))
    thread.start()
    play(terminal, 'turn 2 of 7')
    terminal.wait('Enter places|fits nowhere')
    text = terminal.text()
    assert 'Ben' in text and f'table {code}' in text, text
    # Sealed and taken back while the other player thinks: Ben has to wait because he answers first.
    play(terminal, 'Placed')
    server.end(signal.SIGKILL)
    terminal.wait('Connection lost')
    terminal.keys('Enter')                   # confirmed without a connection: sent once there is one
    terminal.wait_gone('Enter confirm')
    thread.join(WAIT)                        # Ben has noticed, too
    server = Server(folder, server.port)
    terminal.wait_gone('Connection lost')
    ben.server = server
    ben2 = Stranger.__new__(Stranger)
    ben2.server, ben2.cookie, ben2.link, ben2.lines, ben2.version = server, ben.cookie, None, [], 0
    ben2.connect(code)
    thread = threading.Thread(target=ben2.play, args=(1, 3 if SHORT else 40))
    thread.start()
    play(terminal, 'turn 3 of 7')
    if not SHORT:
        play(terminal)
        text = terminal.text()
        thread.join(WAIT)
        record = ben2.ask('GET', f'/api/tables/{code}/record')[1]
        report = json.loads(run('replay', '-', '--json', text=record))
        assert report['finished']
        for player in report['players']:
            assert re.search(rf"{player['name']} .* {player['total']}$", text, re.M), (player, text)
        # The whole record is available for the replay, with its analysis.
        terminal.keys('v')
        terminal.wait('Replay, line')
        terminal.keys('q')
        terminal.wait('The game is over')
        # Ben requests a rematch, and both join it.
        table = json.loads(ben2.ask('POST', f'/api/tables/{code}/rematch', {})[1])['table']
        again, seat = table['code'], 1 + [at.get('name') for at in table['seats']].index('Ben')      # seats rotate
        terminal.wait('A rematch is ready: N joins it')
        terminal.keys('N')
        terminal.wait('Waiting for players')
        ben2.lines, ben2.version = [], 0
        ben2.connect(again)
        ben2.send(type='sit', number=secrets.token_hex(32))
        thread = threading.Thread(target=ben2.play, args=(seat, 1), daemon=True)
        thread.start()
        text = terminal.wait('Ana, these four cards')
        assert f'table {again}' in text and again != code, text
        play(terminal, 'turn 1 of 7')
        thread.join(WAIT)
    terminal.keys('q', 'y')
    terminal.wait('EXIT=0')
    terminal.end()
    server.end()


def case_people(folder):
    """Extras for people at a table: reactions, which can be muted, the score of a series, head-to-head results."""
    server = Server(folder)
    ana, ben = Stranger(server, 'Ana'), Stranger(server, 'Ben')
    code = ben.create({'kind': 'open'}, {'kind': 'open'})['table']['code']
    for player in (ana, ben):
        player.connect(code)
        player.send(type='sit', id='s', number=secrets.token_hex(32))
        while player.next().get('id') != 's':
            pass
    threads = [threading.Thread(target=player.play, args=(seat, 40)) for seat, player in ((1, ana), (2, ben))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(4 * WAIT)
    report = json.loads(run('replay', '-', '--json', text=ana.ask('GET', f'/api/tables/{code}/record')[1]))
    wins = [report['winners'].count(seat) / len(report['winners']) for seat in (1, 2)]
    points = [player['total'] for player in report['players']]
    # The terminal is Ana from now on. The room of the rematch has the score of the series, seats rotate.
    os.makedirs(os.path.join(folder, 'pyramids/servers'))
    with open(os.path.join(folder, f'pyramids/servers/127.0.0.1_{server.port}.cookie'), 'w', encoding='ascii') as file:
        file.write(ana.cookie)
    again = json.loads(ben.ask('POST', f'/api/tables/{code}/rematch', {})[1])['table']['code']
    terminal = Terminal(folder, 'play', '--server', server.url, '--table', again)
    terminal.wait(rf'Won in 1 game \(points\): Ben {wins[1]:g} \({points[1]}\), Ana {wins[0]:g} \({points[0]}\)')
    terminal.keys('q')
    terminal.wait('EXIT=0')
    terminal.end()
    # With a free third seat the head-to-head score against Ben is shown.
    code = ben.create({'kind': 'open'}, {'kind': 'open'}, {'kind': 'open'})['table']['code']
    ben.lines, ben.version = [], 0
    ben.connect(code)
    ben.send(type='sit', number=secrets.token_hex(32))
    terminal = Terminal(folder, 'play', '--server', server.url, '--table', code)
    won, lost = (int(len(report['winners']) == 1 and report['winners'] == [seat]) for seat in (1, 2))
    terminal.wait(rf'Ben  head to head {won} : {lost}')
    ben.send(type='fill', id='f', seat=3, level='novice')
    terminal.wait('these four cards')

    def react(symbol):
        """A reaction of Ben's, once the server allows it: one in five seconds."""
        while True:
            ben.send(type='react', id=secrets.token_hex(16), symbol=symbol)
            answer = None
            while not answer:
                message = ben.next()
                answer = message if message['type'] in ('done', 'error') and message.get('id') != 'f' else None
            if answer['type'] == 'done':
                return
            assert answer['code'] == 'too_fast', answer
            time.sleep(0.2)

    react('tomb')
    terminal.wait('Ben: Well done')
    terminal.keys('e')
    terminal.wait('3  Close!')
    terminal.keys('3')
    terminal.wait('Ana: Close!')
    message = ben.next()
    while message['type'] != 'reaction' or message['symbol'] != 'torch':
        message = ben.next()
    assert message['seat'] == 2, message
    terminal.keys('e')
    terminal.wait('6  Thank you')
    terminal.keys('6')
    terminal.wait('That was too fast')
    terminal.keys('e')
    terminal.wait('mute reactions of others')
    terminal.keys('m')
    terminal.wait('show reactions of others')
    terminal.keys('Escape')
    react('skull')
    terminal.keys('e', 'm')
    terminal.wait('mute reactions of others')
    terminal.keys('Escape')
    react('ruby')
    terminal.wait('Ben: Beautiful')
    terminal.keys('L')
    text = terminal.wait('Ben: Well done[^$]*Ana: Close![^$]*Ben: Beautiful')
    assert 'Ouch' not in text, text
    terminal.keys('q', 'y')
    terminal.wait('EXIT=0')
    terminal.end()
    server.end()


def case_one_number(folder):
    """The number for the shuffle is drawn once per table: a server that refuses the seat gets the same one again, even after
    a restart of the client."""
    server = Server(folder)
    ben = Stranger(server, 'Ben')
    code = ben.create({'kind': 'open'}, {'kind': 'bot', 'level': 'novice'})['table']['code']
    commitment = json.loads(ben.ask('GET', f'/api/tables/{code}')[1])['table']['commitment']
    terminal = Terminal(folder, 'play', '--server', server.url, '--name', 'Ana')
    terminal.wait('Create a public table')
    terminal.end()
    path = os.path.join(folder, 'pyramids/servers', f'127.0.0.1_{server.port}.cookie.numbers')
    kept = []
    for _ in range(2):
        # nothing can be stored
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        terminal = Terminal(folder, 'play', '--server', server.url, '--name', 'Ana', '--table', code)
        terminal.wait('could not save it')
        terminal.end()
        kept.append(read(path))
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    terminal = Terminal(folder, 'play', '--server', server.url, '--name', 'Ana', '--table', code)
    terminal.wait('Ana, these four cards')
    kept.append(read(path))
    assert len(set(kept)) == 1 and kept[0].count('\n') == 1 and os.stat(path).st_mode & 0o777 == 0o600, kept
    number = re.fullmatch(rf'{code} ([0-9a-f]{{64}}) {commitment}\n', kept[0]).group(1)
    assert f'\ntag number 1 {number}\n' in ben.ask('GET', f'/api/tables/{code}/record')[1]
    terminal.end()
    server.end()


def case_tables(folder):
    """A list of tables, one made here with a bot, one that is watched."""
    odd = os.path.join(folder, 'odd.edition')
    with open(odd, 'w', encoding='utf-8') as file:
        file.write(read(PLAIN).replace('name plain', 'name ä/50%25?#x'))
    server = Server(folder, more=('--edition', odd))
    # An edition that only the server has, with any letters in its name.
    code = json.loads(Stranger(server, 'Ben').ask('POST', '/api/tables',
        {'seats': [{'kind': 'open'}, {'kind': 'bot', 'level': 'novice'}], 'edition': 'ä/50%25?#x'})[1])['table']['code']
    terminal = Terminal(folder, 'play', '--server', server.url, '--name', 'Ana', '--table', code)
    terminal.wait('Ana, these four cards')
    terminal.end()
    terminal = Terminal(folder, 'play', '--server', server.url, '--name', 'Ana')
    terminal.wait('Create a public table')
    terminal.keys('Up', 'Up', 'Enter')
    text = terminal.wait(r'Ana \(you\)')        # the room is shown before the seat is taken
    assert 'Waiting for players' in text and '2  free' in text, text
    code = re.search(r'code: (\S+)', text).group(1)
    terminal.keys('b')
    terminal.wait('Ana, these four cards')
    watcher = Terminal(os.path.join(folder), 'play', '--server', server.url, '--name', 'Onlooker',
        XDG_DATA_HOME=os.path.join(folder, 'other'))
    text = watcher.wait('in progress, you can watch')
    assert code in text
    watcher.keys('Enter')
    text = watcher.wait('are choosing their first cards')
    assert f'You are watching table {code}' in text and 'Others join' not in text, text
    play(terminal, 'turn 2 of 7')
    text = watcher.wait('turn 2 of 7')
    assert 'watching' in text and 'Tab seat' in text, text
    watcher.keys('o')
    watcher.wait('Ana: ')
    watcher.keys('o', 'q')
    text = watcher.wait('Leave the game')
    assert 'the game continues without you' in text and 'seat is kept' not in text, text
    watcher.keys('n', 'q', 'y')
    assert 'Back to' not in watcher.wait('EXIT=0')
    # The same seat at a second screen: the first one shows that, until it is alone again.
    second = Terminal(folder, 'play', '--server', server.url, '--table', code)
    second.wait('turn 2 of 7')
    terminal.wait('seat in another window')
    second.end()
    terminal.wait_gone('seat in another window')
    # It is hard to time taking back a choice while a bot is choosing; leaving and coming back is not.
    terminal.keys('q', 'y')
    text = terminal.wait('EXIT=0')
    assert f'Back to your seat: pyramids play --server {server.url} --table {code}' in text.replace('\n', ''), text
    terminal.end()
    terminal = Terminal(folder, 'play', '--server', server.url)
    assert f'{code}: Ana, club; you have a seat here' in terminal.wait('you have a seat here'), terminal.text()
    terminal.keys('Enter')
    terminal.wait('turn 2 of 7')
    watcher.end()
    terminal.end()
    terminal = Terminal(folder, 'play', '--server', server.url, '--table', 'NOSUCHTB')
    assert 'EXIT=1' in terminal.wait('unknown table') + terminal.wait('EXIT')
    terminal.end()
    server.end()


def case_retract(folder):
    """A sealed choice is taken back on the server, while the other player is choosing."""
    server = Server(folder)
    ben, _, terminal = with_ben(folder, server)
    terminal.keys('1', '2', 'Enter')
    terminal.wait('Sealed. Waiting for Ben')
    terminal.keys('u')
    terminal.wait('open again')
    terminal.keys('3', '4', 'Enter')
    terminal.wait('Sealed')
    ben.play(1, 1)
    terminal.wait('turn 1 of 7')
    server.end()
    terminal.wait('Connection lost')
    terminal.keys('q', 'y')
    terminal.wait('EXIT=0')
    terminal.end()


def case_secure(folder):
    """A server with a self-signed certificate: refused with an explanation, and trusted on request."""
    if not shutil.which('openssl'):
        return
    key, cert = os.path.join(folder, 'key.pem'), os.path.join(folder, 'my cert.pem')     # the blank has to be quoted
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
        '-keyout', key, '-out', cert, '-days', '2',
                    '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'], check=True, capture_output=True)
    server = Server(folder, more=['--tls-cert', cert, '--tls-key', key])
    url = f'https://localhost:{server.port}'
    terminal = Terminal(folder, 'play', '--server', url, width=120)
    assert 'EXIT=1' in terminal.wait('the certificate is not trusted, or belongs to another server; use --trust FILE') + \
        terminal.wait('EXIT')
    terminal.end()
    for words, env in ((['--trust', cert], {}), ([], {'SSL_CERT_FILE': cert})):
        terminal = Terminal(folder, 'play', '--server', url, *words, **env)
        terminal.wait('Create a public table')
        terminal.keys('Up', 'Up', 'Enter')
        terminal.wait('Waiting for players')
        terminal.keys('b')
        terminal.wait('Ursa, these four cards')
        play(terminal, 'turn 1 of 7')
        terminal.keys('q', 'y')
        text = terminal.wait('EXIT=0').replace('\n', '')
        terminal.end()
        # The printed command to return works.
        back = re.search(r"Back to your seat: pyramids (play .*?)EXIT", text)[1]
        assert (f"--trust '{cert}'" in back) == bool(words), back
        terminal = Terminal(folder, shell=f'{COMMAND} {back}; echo EXIT=$?; exec cat', **env)
        terminal.wait('turn 1 of 7')
        terminal.end()
    # A name that is not in the certificate.
    terminal = Terminal(folder, 'play', '--server', f'https://127.0.0.1:{server.port}', '--trust', cert, width=120)
    assert 'EXIT=1' in terminal.wait('the certificate is not trusted') + terminal.wait('EXIT')
    terminal.end()
    server.end()
    terminal = Terminal(folder, 'play', '--server', url, '--trust', folder + '/none')
    assert 'EXIT=1' in terminal.wait('No such file') + terminal.wait('EXIT')
    terminal.end()
    terminal = Terminal(folder, 'play', '--server', url, '--trust', key, width=120)      # a file, but not of certificates
    assert 'EXIT=1' in terminal.wait("key.pem' contains no certificate; expected a PEM file") + terminal.wait('EXIT')
    terminal.end()


class Liar(threading.Thread):
    """A server that sends an identity, and then anything."""

    def __init__(self, messages, status=b'200 OK', body=b'{"visitor": {"name": "Ana"}}'):
        super().__init__(daemon=True)
        self.messages, self.status, self.body = messages, status, body
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.port = self.listener.getsockname()[1]
        self.start()

    def run(self):
        while True:
            try:
                link, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(link,), daemon=True).start()

    def stop(self):
        """A connection must not wait at the listener when it is closed: its file number goes to the next listener, whose
        first client would then be answered here."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.join()
        self.listener.close()

    def serve(self, link):
        file = link.makefile('rb')
        head = {}
        request = file.readline()
        while line := file.readline().strip():
            name, _, value = line.partition(b':')
            head[name.lower()] = value.strip()
        if b'sec-websocket-key' not in head:
            file.read(int(head.get(b'content-length', 0)))
            link.sendall(b'HTTP/1.1 %s\r\nContent-Type: application/json\r\nSet-Cookie: pyramids=abc; '
                b'Path=/\r\nContent-Length: %d\r\n\r\n%s'
                         % (self.status, len(self.body), self.body))
            return
        assert request
        accept = base64.b64encode(hashlib.sha1(head[b'sec-websocket-key'] + b'258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest(
            ))
        link.sendall(b'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: '
            b'Upgrade\r\nSec-WebSocket-Accept: ' + accept +
                     b'\r\nSec-WebSocket-Protocol: pyramids-1\r\n\r\n')
        for data in self.messages:
            data = data if isinstance(data, bytes) else json.dumps(data).encode()
            size = len(data)
            link.sendall(b'\x81' + (struct.pack('!B', size) if size < 126 else struct.pack('!BH', 126, size) if size < 65536
                                    else struct.pack('!BQ', 127, size)) + data)
        time.sleep(30)


def case_hostile_server(folder):
    """Whatever a server sends, the client reports an error or keeps waiting; it does not crash."""
    hello = {'type': 'hello', 'server': 'x', 'name': 'Ana'}
    table = {'type': 'table', 'code': 'ABC', 'state': 'running', 'edition': 'classic', 'you': 1, 'host': False,
             'seats': [{'kind': 'person', 'name': 'Ana\x1b[31m', 'here': True}, {'kind': 'bot', 'name': 'x' * 500}]}
    start = ['pyramids-record 1', 'edition classic', 'player 1 Ana', 'player 2 Ben', 'deal 1 1 2 3 4']
    lies = [
        [b'', b'\xff\xfe', b'[]', b'{', b'null', b'{"type": 7}', b'[' * 100000, hello, b'{"type": "lines"}'],
        [hello, table, {'type': 'lines', 'from': 0, 'to': 5, 'left': -1, 'lines': start[:4] + ['deal 1 1 1 1 1']}],
        [hello, table, {'type': 'lines', 'from': 0, 'to': 5, 'left': -1, 'lines': [7, None, {}]}],
        [hello, table, {'type': 'lines', 'from': 0, 'to': 5, 'left': -1, 'lines': ['tag a ' + 'b' * 3000] * 300}],
        [hello, dict(table, seats=[7] * 100000, you=99, edition='../../etc'),
        {'type': 'lines', 'from': -1, 'to': 10 ** 18, 'lines': []}],
        [hello, table, {'type': 'lines', 'from': 0, 'to': 5, 'left': 5, 'lines': start},
        {'type': 'ready', 'phase': 5, 'ready': [99, -1, 'a'], 'mine': '1 2'},
         {'type': 'error', 'code': 'e' * 2000, 'id': 'x'}, {'type': 'done', 'id': ''}, {'type': 'again', 'seconds': -5},
         b'\0' * 500],
        [hello, table, {'type': 'lines', 'from': 0, 'to': 5, 'left': -1, 'lines': start},
         {'type': 'lines', 'from': 5, 'to': 6, 'left': -1, 'lines': ['mark 1 1:a1']}],
        [hello, dict(table, seats=[7] * 100, you=99, edition='../../etc')],
        # of another table than the one that was opened: ignored
        [hello, dict(table, code='X'), {'type': 'lines', 'from': 0, 'to': 5, 'left': -1,
        'lines': start[:4] + ['deal 1 1 1 1 1']}],
    ]
    for i, messages in enumerate(lies[:3] if SHORT else lies):
        liar = Liar(messages)
        terminal = Terminal(folder, 'play', '--server', f'http://127.0.0.1:{liar.port}', '--table', 'ABC')
        if i in (1, 2, 3, 4, 6, 7):
            assert 'EXIT=1' in terminal.wait('EXIT='), (i, terminal.text())
        else:
            terminal.wait('Connecting|Ana')
            time.sleep(0.3)
            assert '\x1b[31m' not in terminal.text()
            terminal.keys('q')
            time.sleep(0.1)
            terminal.keys('y')
            assert 'EXIT=0' in terminal.wait('EXIT='), (i, terminal.text())
        terminal.end()
        liar.stop()


def case_other_server(folder):
    """A server that answers, but is not one of Pyramids, is not contacted again and again; one that refuses gives the
    reason, in words."""
    page = b'<!doctype html><p>It works!'
    for status, body, said in ((b'200 OK', page, 'not a Pyramids server'), (b'404 Not Found', page, 'not a Pyramids server'),
                               (b'501 Unsupported method', page, 'not a Pyramids server'),
                               (b'400 Bad Request', b'{"error": {"code": "bad_name"}}', 'does not accept this name')):
        other = Liar([], status, body)
        terminal = Terminal(folder, 'play', '--server', f'http://127.0.0.1:{other.port}', width=120)
        assert 'EXIT=1' in terminal.wait(said) + terminal.wait('EXIT='), (status, terminal.text())
        terminal.end()
        other.stop()


def case_forgotten(folder):
    """Without a name a player gets a default one in their language; a server that lost its database ends the waiting."""
    server = Server(folder)
    terminal = Terminal(folder, 'play', '--server', server.url, width=120, LANGUAGE='de', USER='')
    terminal.wait('neuen Tisch')
    terminal.keys('Enter')
    terminal.wait(r'Spieler \(du\)')
    terminal.keys('b')
    terminal.wait('Spieler, diese vier Karten')
    server.end()
    for name in os.listdir(folder):
        if name.startswith('server.db'):
            os.remove(os.path.join(folder, name))
    server = Server(folder, server.port)
    assert 'EXIT=1' in terminal.wait('Der Server kennt dich nicht mehr') + terminal.wait('EXIT='), terminal.text()
    terminal.end()
    server.end()


# With sanitizers each case takes several times as long; only these cases run code of their own.
SHORT_CASES = ('case_whole_game', 'case_take_back', 'case_resizing', 'case_kill_and_resume', 'case_hot_seat', 'case_replay',
    'case_server', 'case_retract',
               'case_hostile_server', 'case_many_saved', 'case_undo_draw', 'case_draft', 'case_wrong_host', 'case_rules',
               'case_escapes')


def close_windows(folder):
    """Ends the terminals that a failed case left open."""
    for entry in os.listdir(folder):
        if re.fullmatch(r't\d+', entry):
            subprocess.run(['tmux', '-S', os.path.join(folder, entry), 'kill-server'], capture_output=True, check=False)


def main():
    if not shutil.which('tmux'):
        print('1..0 # SKIP tmux is needed')
        return
    wanted = ARGS[2] if len(ARGS) > 2 else ''
    cases.main({name: function for name, function in globals().items()
                if not SHORT or wanted or name in SHORT_CASES}, wanted, end=close_windows)


main()
