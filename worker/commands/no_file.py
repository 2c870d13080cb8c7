"""What stands in the place of a regular file: a folder, a pipe, a device, a link that leads nowhere."""

import errno
import stat
from pathlib import Path

LOOP = "a link that leads to itself"
_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def why_no_file(
    path: Path, *, wanted: str = "a file", folder: str = "a folder", absent: str = "there is no such file"
) -> str:
    """Say what stands there; empty where a regular file does. Nothing is opened, so nothing can hang.

    `folder` and `absent` are the caller's words for these two, `wanted` for what a pipe or a device is not.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return "a link to a file that is not there" if path.is_symlink() else absent
    except ValueError:
        return "no name that a file can have"  # a NUL in it
    except OSError as error:
        return LOOP if error.errno == errno.ELOOP else system_words(error)
    if stat.S_ISDIR(mode):
        return folder
    return next((f"{said}, not {wanted}" for is_kind, said in _KINDS if is_kind(mode)), "")


def system_words(error: OSError) -> str:
    """What the system says, as a fragment."""
    return (error.strerror or str(error)).lower()
