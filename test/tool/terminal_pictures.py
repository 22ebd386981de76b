#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the pictures of a terminal in docs/manual.md, as SVG.

    test/tool/terminal_pictures.py PQT FOLDER

Runs the program PQT in tmux, as a user would, captures the screens with their colours, and writes
terminal-help.svg, terminal-completion.svg and terminal-progress.svg to FOLDER. Needs tmux and bash.
"""
import html
import os
import re
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT = 96, 40
LETTER, LINE, MARGIN = 7.8, 17, 10  # of a character of 13 pixels, in pixels
COLOURS = ['#1c1c1c', '#d75f5f', '#5faf5f', '#d7af5f', '#5f87d7', '#af5faf', '#5fafaf', '#d0d0d0']


def runs_of(line):
    """Returns the parts of a captured line: a column, a text, a colour or None, and whether it is bold."""
    column, colour, is_bold = 0, None, False
    for codes, text in re.findall(r'(?:\x1b\[([\d;]*)m)?([^\x1b]*)', line):
        for code in [int(one or 0) for one in codes.split(';')] if codes else []:
            if code == 0:
                colour, is_bold = None, False
            elif code == 1:
                is_bold = True
            elif 30 <= code <= 37:
                colour = COLOURS[code - 30]
            elif code == 39:
                colour = None
        for part in re.finditer(r'\S+(?: \S+)*', text):  # renderers of SVG drop blanks
            yield column + part.start(), part[0], colour, is_bold
        column += len(text)


def svg_of(screen):
    """Returns a captured screen as a picture."""
    lines = screen.rstrip('\n').split('\n')
    width, height = WIDTH * LETTER + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
           'font-family="monospace" font-size="13">',
           f'<rect width="100%" height="100%" rx="6" fill="{COLOURS[0]}"/>']
    for number, line in enumerate(lines):
        for column, text, colour, is_bold in runs_of(line):
            weight = ' font-weight="bold"' if is_bold else ''
            out.append(f'<text x="{MARGIN + column * LETTER:.1f}" y="{MARGIN + 13 + number * LINE}" '
                       f'textLength="{len(text) * LETTER:.1f}" fill="{colour or COLOURS[7]}"{weight}>{html.escape(text)}</text>')
    return '\n'.join(out + ['</svg>', ''])


class Terminal:
    """A shell in tmux, in a folder of its own."""

    def __init__(self, program, folder):
        completion = os.path.join(os.path.dirname(__file__), '../../src/tool/completion/bash/pqt')
        settings = os.path.join(folder, 'settings')
        with open(settings, 'w', encoding='utf-8') as file:
            file.write(f"PS1='$ '\npqt() {{ {program} \"$@\"; }}\n. {os.path.abspath(completion)}\n"
                       "bind 'set page-completions off'\nbind 'set bell-style none'\n")
        self.socket = os.path.join(folder, 'socket')
        self.call('-f', '/dev/null', 'new-session', '-d', '-x', str(WIDTH), '-y', str(HEIGHT), '-c', folder,
                  f'bash --noprofile --rcfile {settings}')
        self.wait(lambda screen: screen.startswith('$'))

    def call(self, *given):
        return subprocess.run(['tmux', '-S', self.socket, *given], check=True, capture_output=True, text=True).stdout

    def screen(self):
        return self.call('capture-pane', '-p', '-e')

    def wait(self, is_there):
        """Returns the first screen that has what is waited for."""
        for _ in range(6000):
            screen = self.screen()
            if is_there(screen.strip()):
                return screen
            time.sleep(0.01)
        raise SystemExit(f'the terminal does not show what it should:\n{screen}')

    def keys(self, *keys):
        self.call('send-keys', *keys)


def main():
    program, target = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'points.csv'), 'w', encoding='utf-8') as file:
            file.write('x,y\n' + ''.join(f'{i * 7919 % 100003},{i * 104729 % 99991}\n' for i in range(1500000)))
        terminal = Terminal(program, folder)
        pictures = {}
        terminal.keys('pqt help', 'Enter')
        pictures['help'] = terminal.wait(lambda screen: screen.endswith('$') and len(screen) > 200)
        terminal.keys('clear', 'Enter')
        terminal.wait(lambda screen: screen == '$')
        terminal.keys('pqt nearest --', 'Tab', 'Tab')
        pictures['completion'] = terminal.wait(lambda screen: screen.count('--') > 3)
        terminal.keys('C-c', '')
        terminal.keys('clear', 'Enter')
        terminal.wait(lambda screen: screen == '$')
        terminal.keys('pqt info points.csv', 'Enter')
        pictures['progress'] = terminal.wait(lambda screen: screen.count('#') > 9)
        terminal.call('kill-server')
    for name, screen in pictures.items():
        with open(os.path.join(target, f'terminal-{name}.svg'), 'w', encoding='utf-8') as file:
            file.write(svg_of(screen))


main()
