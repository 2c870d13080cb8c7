"""`python -m worker` is `flake-triage`."""

from worker.cli import main

if __name__ == "__main__":
    main()
