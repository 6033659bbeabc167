"""Reserves ports that stay reserved while a server is down between two starts. As a program (ports.py COUNT) it prints
COUNT ports and holds them until its input ends."""
import random
import socket
import sys

HELD = []                        # the sockets, as long as the program runs


def reserve():
    """Reserves a port of 127.0.0.1 on which only our servers can listen, any number of times. It is outside the range from
    which the kernel chooses ports, so it is free after each stop."""
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
