"""A program that computes for long."""

import time


def crunch(cpu_s: float) -> None:
    end = time.thread_time() + cpu_s
    while time.thread_time() < end:
        pass


if __name__ == "__main__":
    crunch(20)
