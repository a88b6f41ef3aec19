"""``python -m gammon``: the command line."""

from gammon.cli import main

if __name__ == "__main__":
    main()
