"""The command `tarl`: replaces the interpreter by this package's program."""

import os
import sys

from tarl._program import program
from tarl.errors import Error


def main() -> None:
    try:
        path = program()
    except Error as problem:
        sys.exit(f"tarl: {problem}")
    os.execv(path, ["tarl", *sys.argv[1:]])


if __name__ == "__main__":
    main()
