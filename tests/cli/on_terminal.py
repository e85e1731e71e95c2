#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""on_terminal.py COLUMNS COMMAND...: runs a command on a terminal and prints what is left on its screen."""
import fcntl
import os
import pty
import re
import struct
import sys
import termios

ESCAPE = re.compile(r"\x1b\[(\??)(\d*)([A-Za-z])")


class Screen:
    """What tarl uses of a terminal: line breaks, erasing, the cursor up, and wrapping on and off."""

    def __init__(self, columns):
        self.columns, self.lines, self.row, self.column, self.wraps = columns, [[]], 0, 0, True

    def line(self):
        while len(self.lines) <= self.row:
            self.lines.append([])
        return self.lines[self.row]

    def put(self, char):
        if self.column >= self.columns and self.wraps:
            self.row, self.column = self.row + 1, 0
        self.column = min(self.column, self.columns - 1)
        line = self.line()
        line.extend(" " * (self.column + 1 - len(line)))
        line[self.column] = char
        self.column += 1

    def escape(self, private, number, kind):
        if private:
            self.wraps = kind == "h"
        elif kind in "KJ":
            del self.line()[self.column:]
            if kind == "J":
                del self.lines[self.row + 1:]
        elif kind == "A":
            self.row = max(0, self.row - int(number or 1))

    def show(self, text):
        at = 0
        while at < len(text):
            escape = ESCAPE.match(text, at)
            if escape:
                self.escape(*escape.groups())
                at = escape.end()
                continue
            if text[at] == "\r":
                self.column = 0
            elif text[at] == "\n":
                self.row += 1
            else:
                self.put(text[at])
            at += 1


def output_of(command, columns):
    # The command waits until its terminal has its size.
    ready, go = os.pipe()
    process, terminal = pty.fork()
    if process == 0:
        os.close(go)
        os.read(ready, 1)
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    os.close(go)
    output = b""
    while True:
        try:
            more = os.read(terminal, 1 << 16)
        except OSError:  # the other end is closed
            more = b""
        if not more:
            break
        output += more
    _, status = os.waitpid(process, 0)
    return output.decode(), os.waitstatus_to_exitcode(status)


def main():
    columns = int(sys.argv[1])
    output, code = output_of(sys.argv[2:], columns)
    screen = Screen(columns)
    screen.show(output)
    print("\n".join("".join(line).rstrip() for line in screen.lines))
    sys.exit(code)


main()
