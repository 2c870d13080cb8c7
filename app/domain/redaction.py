"""Secrets in a text of others: known by their shape, by where they stand, or because they are our own."""

import re
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import quote

HIDDEN: Final = "[secret]"

SHORTEST_KNOWN: Final = 6
"""What is shorter is no secret, and would be found in any text."""

_SHAPES = re.compile(
    r"""
    gh[opusr]_[A-Za-z0-9._-]{1,2000}    # tokens of every kind; a new ghs_ holds a JWT: dots and dashes
    | github_pat_[A-Za-z0-9_]{1,300}
    | (?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{4,4000}(?:\.[A-Za-z0-9_-]{0,4000}){1,2}    # a JWT
    | (?i:\bbearer[ ]{1,4})[A-Za-z0-9._~+/=-]{8,4000}
    | (?i:\bauthorization["']?[ ]{0,4}[:=][ ]{0,4}["']?)(?:[A-Za-z]{1,20}[ ]{1,4})?[^\s"']{1,4000}
    | (?<=://)[^/\s:@]{0,200}:[^/\s@]{1,400}(?=@)    # user and password in an address
    | (?<=[?&;])(?i:sig|se|signature|x-amz-signature|x-amz-credential|x-amz-security-token|access_token
        |token|password)=[^&\s"'<>]{1,4000}    # what signs an address
    | (?i:\bpassword=)[^\s"'&]{1,400}    # a password in a list of connection parameters
    | -----BEGIN[ ](?:[A-Z0-9]{1,20}[ ]){0,4}PRIVATE[ ]KEY-----    # to its end, or as far as it goes
        (?:[^-]|-(?!--)){0,16000}(?:-----END[ ][A-Z0-9 ]{1,80}-----)?
    """,
    re.VERBOSE,
)
"""Each alternative begins where its text begins and is bounded: time stays linear in the text's length."""


def spellings(secrets: Iterable[str]) -> set[str]:
    """The given secrets as they may stand in a text: as they are, and inside an address."""
    plain = {secret for secret in secrets if len(secret) >= SHORTEST_KNOWN}
    return plain | {quote(secret, safe="") for secret in plain}


def redact(text: str, known: Sequence[str] = ()) -> str:
    """Replace what is shaped like a secret, and each of `known` (see `spellings`; longest first) anywhere.

    To be asked before a text is cut or escaped: half a token is not recognised, and is still half a token.
    """
    for secret in known:
        text = text.replace(secret, HIDDEN)
    return _SHAPES.sub(HIDDEN, text)
