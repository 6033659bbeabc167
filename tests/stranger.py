#!/usr/bin/env python3
"""stranger.py URL [SEED]: plays a whole game against a bot on a server, written only from docs/protocol.md with Python's
own library.

The legal choices come from `pyramids legal` (the command is in $PYRAMIDS), as a person would see them on the board. In
the middle it disconnects on purpose and comes back. At the end it prints the record."""
import base64
import http.client
import json
import os
import random
import secrets
import socket
import struct
import subprocess
import sys
import urllib.parse


class Socket:
    """A WebSocket: text frames, one at a time."""

    def __init__(self, host, port, cookie):
        self.at = socket.create_connection((host, port), timeout=30)
        key = base64.b64encode(secrets.token_bytes(16)).decode()
        self.at.sendall((f'GET /api/socket HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
                         f'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\nCookie: {cookie}\r\n\r\n').encode())
        self.file = self.at.makefile('rb')
        status = self.file.readline()
        assert b' 101 ' in status, status
        while self.file.readline().strip():
            pass

    def frame(self, opcode, data):
        mask = secrets.token_bytes(4)
        size = struct.pack('!B', 0x80 | len(data)) if len(data) < 126 else struct.pack('!BH', 0xfe, len(data))
        self.at.sendall(bytes([0x80 | opcode]) + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def send(self, **message):
        self.frame(1, json.dumps(message).encode())

    def next(self):
        while True:
            opcode, size = self.file.read(2)
            size &= 127
            if size > 125:
                size = int.from_bytes(self.file.read(2 if size == 126 else 8), 'big')
            data = self.file.read(size)
            if opcode & 15 == 9:             # ping
                self.frame(10, data)
            elif opcode & 15 == 1:
                return json.loads(data)
            elif opcode & 15 == 8:
                raise ConnectionError(data)

    def close(self):
        self.at.close()


def main():
    url = urllib.parse.urlparse(sys.argv[1])
    dice = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)

    def ask(method, path, body=None, cookie=''):
        web = http.client.HTTPConnection(url.hostname, url.port, timeout=30)
        web.request(method, path, None if body is None else json.dumps(body),
            {'Content-Type': 'application/json', 'Cookie': cookie})
        answer = web.getresponse()
        return answer, answer.read().decode()

    answer, _ = ask('POST', '/api/visitor', {'name': 'Stranger'})
    cookie = answer.getheader('Set-Cookie').split(';')[0]
    _, text = ask('POST', '/api/tables', {'seats': [{'kind': 'open'}, {'kind': 'bot', 'level': 'casual'}]}, cookie)
    code, lines, version, chosen, sent = json.loads(text)['table']['code'], [], 0, 0, 0
    link = Socket(url.hostname, url.port, cookie)
    link.send(type='open', table=code)
    link.send(type='sit', number=secrets.token_hex(32))
    while not any(line.startswith('tag secret') for line in lines):
        message = link.next()
        assert message['type'] != 'error', message
        if message['type'] != 'lines':
            continue
        assert message['from'] == version, (message, version)
        lines, version = lines + message['lines'], message['to']
        if version == chosen:
            continue                         # nothing new since the last choice
        legal = subprocess.run([os.environ['PYRAMIDS'], 'legal', '-', '--view', '--seat', '1'],
            input='\n'.join(lines) + '\n',
                               capture_output=True, text=True, check=True).stdout
        if not legal:
            continue                         # nothing to choose now
        sent, chosen = sent + 1, version
        if sent == 10:                       # disconnects just after a choice, which is then sent again
            link.send(type='choose', id=f'c{sent}', phase=version, choice=(choice := dice.choice(legal.splitlines())))
            link.close()
            link = Socket(url.hostname, url.port, cookie)
            link.send(type='open', table=code, have=version)
            link.send(type='choose', id=f'c{sent}', phase=version, choice=choice)
        else:
            link.send(type='choose', id=f'c{sent}', phase=version, choice=dice.choice(legal.splitlines()))
    print(ask('GET', f'/api/tables/{code}/record', cookie=cookie)[1], end='')


main()
