#!/usr/bin/env python3
"""A second verifier of the fair shuffle, written from docs/fair-shuffle.md with only hashlib and hmac.

usage: verify.py RECORD EDITION-FILE [COMMITMENT]   checks a record, and that it has this commitment (docs/daily.md)
       verify.py --example               the worked example of the document
       verify.py --vectors EDITION-FILE...   known answers, as in tests/data/fair.txt
"""
import hashlib
import hmac
import re
import sys


class Unfair(Exception):
    """The error, and its line."""


def mac(key, message):
    return hmac.new(key, message.encode('utf-8'), hashlib.sha256).digest()


def message(edition, numbers):
    lines = ['pyramids shuffle 1', f'edition {edition}', f'seats {len(numbers)}']
    lines += [f'{seat} {number.hex() if number else "-"}' for seat, number in enumerate(numbers, 1)]
    return ''.join(line + '\n' for line in lines)


class Stream:
    """A stream of random words for a label."""

    def __init__(self, key, label):
        self.key, self.label, self.counter, self.words = key, label, 0, []

    def word(self):
        if not self.words:
            block = mac(self.key, f'{self.label}\n{self.counter}')
            self.words = [int.from_bytes(block[at:at + 4], 'big') for at in range(0, 32, 4)]
            self.counter += 1
        return self.words.pop(0)

    def below(self, bound):
        while True:
            word = self.word()
            if word < 2**32 - 2**32 % bound:
                return word % bound

    def shuffle(self, items):
        items = list(items)
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
        return items


def derive(secret, edition, patterns, numbers):
    """Deals, deck and rounds."""
    key = mac(secret, message(edition, numbers))
    cards = Stream(key, 'deal').shuffle(range(1, 49))
    deals = [cards[4 * seat:4 * seat + 4] for seat in range(len(numbers))]
    deck = Stream(key, 'deck').shuffle(range(1, 49))
    rounds = [Stream(key, f'round {n}').shuffle(patterns) for n in range(1, 5)]
    return deals, deck, rounds


def read_edition(text):
    """The name and the eight expedition cards by pattern."""
    name = re.search(r'^name (\S+)', text, re.M).group(1)
    patterns = []
    for pattern, copies in re.findall(r'^pattern (\S+) (\d+)', text, re.M):
        patterns += [pattern] * int(copies)
    return name, patterns


def read_hex(word, line):
    if not re.fullmatch('[0-9a-f]{64}', word):
        raise Unfair(f'{line}: not 64 lower-case hexadecimal digits')
    return bytes.fromhex(word)


def verify(record, edition, published=None):
    """Raises Unfair, or returns how many lines were compared. published: the commitment that was shown before."""
    name, patterns = read_edition(edition)
    lines = [(number, line.rstrip('\r')) for number, line in enumerate(record.split('\n'), 1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith(';')]
    commitment = secret = over = day = None
    seats, dealt, numbers = 0, False, {}
    for at, line in lines:
        words = line.split(' ')
        dealt |= words[0] == 'deal'
        over = over or words[0] == 'winner'
        if words[0] == 'player':
            seats += 1
        elif words[0] == 'edition' and words[1] != name:
            raise Unfair(f'{at}: another edition')
        if words[0] != 'tag':
            continue
        if words[1] in ('day', 'practice'):
            day = at
        elif words[1] == 'commitment':
            if commitment or dealt:
                raise Unfair(f'{at}: a second or late commitment')
            commitment = read_hex(' '.join(words[2:]), at)
        elif words[1] == 'number':
            if dealt or not commitment:
                raise Unfair(f'{at}: a number must stand after the commitment and before the deals')
            if not re.fullmatch('[1-4]', words[2]) or words[2] in numbers:
                raise Unfair(f'{at}: no seat, or one that has a number')
            numbers[words[2]] = read_hex(' '.join(words[3:]), at)
        elif words[1] == 'secret':
            if secret or not over:
                raise Unfair(f'{at}: a second or early secret')
            secret = read_hex(' '.join(words[2:]), at)
    if not commitment or not secret:
        raise Unfair('no commitment or no secret')
    if any(int(seat) > seats for seat in numbers):
        raise Unfair('a number of no seat')
    if hashlib.sha256(secret).digest() != commitment:
        raise Unfair('the secret is not the one committed to')
    if day and (numbers or seats != 3):
        raise Unfair(f'{day}: a daily expedition has three seats and no numbers')
    if published and commitment.hex() != published:
        raise Unfair('another commitment than the one that was published')
    numbers = [numbers.get(str(seat)) for seat in range(1, seats + 1)]
    deals, deck, rounds = derive(secret, name, patterns, numbers)
    kept = {card for _, line in lines if line.startswith('keep ') for card in line.split(' ')[2:]}
    deck = [str(card) for card in deck if str(card) not in kept]
    reveals = compared = 0
    for at, line in lines:
        words = line.split(' ')
        if words[0] == 'deal':
            wanted = [str(card) for card in deals[int(words[1]) - 1]]
            told = words[2:]
        elif words[0] in ('show', 'draw'):
            told = words[1:] if words[0] == 'show' else words[2:]
            wanted, deck = deck[:len(told)], deck[len(told):]
        elif words[0] == 'reveal':
            told, wanted = words[1:], [rounds[reveals // 7][reveals % 7]]
            reveals += 1
        else:
            continue
        compared += 1
        if told != wanted:
            raise Unfair(f'{at}: {" ".join(told)}, not {" ".join(wanted)}')
    return compared


SECRET = bytes(range(32))
NUMBERS = [bytes(range(32, 64)), None, bytes(range(64, 96))]


def example():
    """Three seats, the second a bot, edition classic."""
    patterns = 'I2 I3 V3 I4 I4 L4 O4 O4'.split(' ')
    key = mac(SECRET, message('classic', NUMBERS))
    deals, deck, rounds = derive(SECRET, 'classic', patterns, NUMBERS)
    words = Stream(key, 'deal')
    lines = [f'secret      {SECRET.hex()}', f'commitment  {hashlib.sha256(SECRET).hexdigest()}',
        'message     pyramids shuffle 1']
    lines += ['            ' + line for line in message('classic', NUMBERS).split('\n')[1:-1]]
    lines += [f'key         {key.hex()}', f'deal block  {mac(key, "deal" + chr(10) + "0").hex()}']
    first = [words.word() for _ in range(8)]
    lines += ['deal words  ' + ' '.join(str(word) for word in first[:4]),
        '            ' + ' '.join(str(word) for word in first[4:])]
    words = Stream(key, 'deal')
    lines += ['below       ' + ', '.join(f'{words.below(bound)} of {bound}' for bound in (48, 47, 46, 45))]
    lines += [f'deal {seat}      ' + ' '.join(str(card) for card in deal) for seat, deal in enumerate(deals, 1)]
    lines += ['deck        ' + ' '.join(str(card) for card in deck[:12]) + ' ...']
    lines += [f'round {n}     ' + ' '.join(rounds[n - 1]) for n in range(1, 5)]
    return '\n'.join(lines) + '\n'


def vectors(editions):
    """Known answers for test_fair.c: cases are separated by blank lines."""
    out = []
    for index in range(8):
        edition, patterns = editions[index % len(editions)]
        secret = hashlib.sha256(b'secret %d' % index).digest() if index else SECRET
        seats = (3, 2, 4, 3)[index % 4]
        numbers = [hashlib.sha256(b'number %d %d' % (index, seat)).digest() if index & 1 << seat == 0 or index == 7 else None
                   for seat in range(seats)]
        numbers = numbers if index else NUMBERS
        key = mac(secret, message(edition, numbers))
        deals, deck, rounds = derive(secret, edition, patterns, numbers)
        out += [f'case {edition} {seats}', f'secret {secret.hex()}', f'commitment {hashlib.sha256(secret).hexdigest()}']
        out += [f'number {seat} {number.hex() if number else "-"}' for seat, number in enumerate(numbers)]
        out += [f'key {key.hex()}']
        stream = Stream(key, 'deal')
        out += ['words ' + ' '.join(str(stream.word()) for _ in range(20))]
        for bound in (1, 2, 48, 1000, 2**31 + 1, 3 * 10**9, 2**32 - 1):
            stream = Stream(key, f'test {bound % 97}')
            out += [f'below {bound} test {bound % 97}: ' + ' '.join(str(stream.below(bound)) for _ in range(12))]
        out += [f'deal {seat} ' + ' '.join(str(card) for card in deal) for seat, deal in enumerate(deals)]
        out += ['deck ' + ' '.join(str(card) for card in deck)]
        out += [f'round {n} ' + ' '.join(cards) for n, cards in enumerate(rounds)]
        out += ['']
    return '\n'.join(out)


def read(path):
    with open(path, encoding='utf-8', newline='') as source:
        return source.read()


def main():
    if sys.argv[1:2] == ['--example']:
        print(example(), end='')
    elif sys.argv[1:2] == ['--vectors']:
        print(vectors([read_edition(read(path)) for path in sys.argv[2:]]), end='')
    elif len(sys.argv) in (3, 4):
        try:
            print(f'fair: {verify(read(sys.argv[1]), read(sys.argv[2]), *sys.argv[3:])} lines follow')
        except Unfair as error:
            sys.exit(f'{sys.argv[1]}: {error}')
    else:
        sys.exit(__doc__)


if __name__ == '__main__':
    main()
