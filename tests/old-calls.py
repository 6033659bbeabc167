#!/usr/bin/env python3
"""Runs a program without the system calls added after Linux 3.2, as if the kernel did not know them (ENOSYS). usage:
old-calls.py PROGRAM [ARGUMENT...]. On x86-64 their numbers begin at 312 (kcmp, Linux 3.5)."""
import ctypes
import os
import struct
import sys

FIRST_NEW = 312
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD, IF_AT_LEAST, RETURN = 0x20, 0x35, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | 38      # 38: ENOSYS


def main():
    # (code, offset if true, offset if false, operand); the number of the call is the first member of the data.
    steps = [(LOAD, 0, 0, 0), (IF_AT_LEAST, 0, 1, FIRST_NEW), (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    text = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack('HxxxxxxP', len(steps), ctypes.addressof(text)))
    libc = ctypes.CDLL(None, use_errno=True)
    for words in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(program), 0, 0)):
        if libc.prctl(*(ctypes.c_ulong(word) for word in words)):
            sys.exit(f'old-calls.py: {os.strerror(ctypes.get_errno())}')
    os.execv(sys.argv[1], sys.argv[1:])


if __name__ == '__main__':
    main()
