"""What a file's name hints at: results or a log, or a thing that no reading of it would find them in."""

from pathlib import PurePosixPath
from typing import Final

PROMISING: Final = frozenset({".xml", ".trx", ".log", ".zip"})
"""Of a file with such a name a person wants to hear that it holds no results, and why."""

NEVER_READ: Final = frozenset(
    {
        *(".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".ico", ".bmp", ".webm", ".mp4", ".mov", ".pdf"),
        *(".html", ".htm", ".css", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".map", ".woff", ".woff2", ".ttf"),
        *(
            ".py",
            ".pyc",
            ".pyi",
            ".c",
            ".h",
            ".cc",
            ".cpp",
            ".hpp",
            ".rs",
            ".go",
            ".java",
            ".kt",
            ".cs",
            ".rb",
        ),
        *(".o", ".a", ".so", ".dll", ".dylib", ".exe", ".class", ".jar", ".war", ".whl", ".apk", ".pdb"),
        *(".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".tar", ".db", ".sqlite", ".npy", ".pt", ".bin"),
    }
)
"""Pictures, pages, sources, programs and archives of other kinds: passed over where nobody named them."""


def is_promising(name: str) -> bool:
    path = PurePosixPath(name)
    return path.suffix.lower() in PROMISING and not path.name.startswith("._")  # a shadow file of macOS


def is_never_read(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in NEVER_READ
