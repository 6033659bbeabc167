"""Ports that stay one's own while a server is down between two starts. As a program (ports.py COUNT) prints so many and
holds them until its input ends."""
import random
import socket
import sys

HELD = []                        # the sockets, as long as the program runs


def reserve():
    """A port of 127.0.0.1 that nobody else can get, and a server of ours can listen on as often as it likes. It is none of
    those that the kernel gives to whoever connects or asks for any, so that it is free after each stop."""
    dice = random.SystemRandom()
    while True:
        holder = socket.socket()
        try:
            holder.bind(('127.0.0.1', dice.randrange(10000, 32000)))
        except OSError:
            holder.close()
            continue
        # from here on it is shared with a listener that sets this, too
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        HELD.append(holder)
        return holder.getsockname()[1]


if __name__ == '__main__':
    print(*(reserve() for _ in range(int(sys.argv[1]))), flush=True)
    sys.stdin.read()
