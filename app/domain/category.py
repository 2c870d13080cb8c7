"""Failure categories: what kind of thing a failure text or a log says went wrong (CONTRACTS, 2)."""

from enum import StrEnum


class Category(StrEnum):
    ASSERTION = "assertion"
    EXCEPTION = "exception"
    CRASH_SIGNAL = "crash-signal"
    OOM = "oom"
    TIMEOUT_HANG = "timeout-hang"
    INIT_RENDEZVOUS = "init-rendezvous"
    PORT_CONFLICT = "port-conflict"
    COLLECTIVE_MISMATCH = "collective-mismatch"
    INFRA = "infra"
    WORKER_TERMINATED_SLOW = "worker-terminated-slow"
    COLLECTION = "collection"
    XPASS = "xpass"
    UNKNOWN = "unknown"
