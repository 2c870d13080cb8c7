"""Logs: no secret gets out, no text moves a terminal, every line is JSON."""

import json
import logging
import re
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import logs
from app.domain.redaction import HIDDEN
from app.logs import LIMIT_CHARACTERS, redact

SECRETS = [
    "ghp_" + "a1B2" * 9,
    "gho_16C7e42F292c6912E7710c838347Ae178B4a",
    "ghu_" + "x" * 36,
    "ghr_" + "9" * 76,
    "ghs_" + "Z" * 36,
    "ghs_1234567_eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.c2ln-bmF_0dXJl",
    "github_pat_11ABCDEFG0_" + "k" * 59,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4",
]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("around", ["{}", "token={}", "url?t={}&x=1", "'{}'", "said {}."])
def test_token_of_every_shape_is_replaced_wherever_it_stands(secret: str, around: str) -> None:
    shown = redact(around.format(secret))
    assert "[secret]" in shown
    assert not re.search(r"[A-Za-z0-9_-]{20}", shown)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer abc.def~ghi+jkl/mno=", "[secret]"),
        ('{"authorization": "token 0123456789abcdef"}', '{"[secret]"}'),
        ("Bearer 0123456789abcdef failed", "[secret] failed"),
        (
            "GET https://x.blob/a.zip?sp=r&sig=a%2Fb%3D&se=2026 done",
            "GET https://x.blob/a.zip?sp=r&[secret]&[secret] done",
        ),
        ("https://b.s3/k?X-Amz-Signature=0f0f&amp;x=1", "https://b.s3/k?[secret]&amp;x=1"),
        ("host=db user=triage password=hunter22 dbname=t", "host=db user=triage [secret] dbname=t"),
        ("postgresql+psycopg://triage:p%40ss@db:5432/t", "postgresql+psycopg://[secret]@db:5432/t"),
        ("a signal=9 and the case=1", "a signal=9 and the case=1"),
        ("https://x-access-token:hunter2@github.com/o/r", "https://[secret]@github.com/o/r"),
        ("the token expired", "the token expired"),
        ("basic functionality works", "basic functionality works"),
        ("https://github.com/o/r/actions/runs/1", "https://github.com/o/r/actions/runs/1"),
    ],
)
def test_credentials_are_known_by_where_they_stand_and_words_stay(text: str, shown: str) -> None:
    assert redact(text) == shown


def test_what_moves_a_terminal_or_turns_writing_is_spelled_out() -> None:
    assert redact("a\x1b[31mb\x07c\u202ed\r\u2028e\ud800") == (
        r"a\u001b[31mb\u0007c\u202ed\u000d\u2028e\ud800"
    )


def test_lines_tabs_and_other_languages_stay() -> None:
    assert redact("erste Zeile\n\tzweite: größer, 日本語") == "erste Zeile\n\tzweite: größer, 日本語"


KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7+/w\nq1W=\n-----END RSA PRIVATE KEY-----"
OLD_KEY = KEY.replace("\nMII", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0F\n\nMII")


@pytest.mark.parametrize("key", [KEY, KEY.replace("RSA ", ""), OLD_KEY, KEY.replace("\n", "\\n")])
def test_private_keys_go_whole_and_what_stands_around_them_stays(key: str) -> None:
    assert redact(f"key is {key}\nand so on") == "key is [secret]\nand so on"


def test_a_private_key_without_an_end_goes_as_far_as_it_may_reach() -> None:
    assert redact(KEY.partition("-----END")[0]) == "[secret]"


TOKENS = st.sampled_from([*SECRETS, KEY])


@given(st.text(), TOKENS, st.text())
def test_no_text_around_a_token_lets_it_through(before: str, token: str, after: str) -> None:
    shown = redact(f"{before} {token} {after}")
    assert token not in shown
    assert HIDDEN in shown


@given(st.integers(0, 400), TOKENS, st.sampled_from([" ", "x"]))
def test_the_cut_of_a_long_text_leaves_no_half_of_a_token(shift: int, token: str, filler: str) -> None:
    """Around the place where the search ends, also where what was hidden before it made the text shorter."""
    hidden = f"{SECRETS[5]} " * (LIMIT_CHARACTERS // 60)
    text = (hidden + filler * 3 * LIMIT_CHARACTERS)[: 2 * LIMIT_CHARACTERS - shift]
    shown = redact(f"{text} {token} {'y ' * LIMIT_CHARACTERS}")
    assert not any(token[:size] in shown for size in (len(token), len(token) // 2, 16))


@given(
    st.recursive(
        TOKENS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TOKENS, inner, max_size=3)
    )
)
def test_no_object_in_a_record_hides_a_token(value: object) -> None:
    shown = json.dumps(logs._redacted(value))
    assert not any(json.dumps(token)[1:-1] in shown for token in [*SECRETS, KEY])


def test_long_text_is_cut_and_says_so() -> None:
    assert redact("x" * (LIMIT_CHARACTERS + 1)) == "x" * LIMIT_CHARACTERS + "... (cut)"


@given(st.text())
def test_shown_text_has_no_control_characters_and_showing_it_again_changes_nothing(text: str) -> None:
    shown = redact(text)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "unit",
    [
        *("eyJ", "eyJa.", "ghs_", "bearer ", "authorization: ", "://a:", "://:", "a:b@", "eyJaaaa.-", "ghp"),
        *(
            "&sig=",
            "&sig",
            "password=",
            "-----BEGIN PRIVATE KEY-----",
            "-----BEGIN ",
            "-----BEGIN A A A A A ",
            "-",
        ),
    ],
)
def test_hostile_repetition_is_searched_in_linear_time(unit: str) -> None:
    """Forty times the largest text ever searched takes well below a second a time when linear."""
    hostile = (unit * LIMIT_CHARACTERS)[:LIMIT_CHARACTERS]
    started_s = time.process_time()
    for _ in range(5):
        redact(hostile)
    assert time.process_time() - started_s < 2.5


SAYS = """
import logging, structlog
from app import logs
logs.configure()
logs.configure()
log = structlog.get_logger("worker.test")
with structlog.contextvars.bound_contextvars(task="delivery:1"):
    secret = "ghp_" + "a" * 36
    log.info("fetched \\x1b[2J", token=secret, sizes=[1, secret], job={secret: None})
    logging.getLogger("dbos").warning("plain %s", "Bearer abcdefghijkl")
log.debug("unseen")
try:
    raise ValueError("with eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.SflKxw")
except ValueError:
    log.exception("failed")
"""


def test_both_kinds_of_loggers_write_json_lines_without_secrets() -> None:
    said = subprocess.run([sys.executable, "-c", SAYS], check=True, capture_output=True, text=True).stderr
    lines = [json.loads(line) for line in said.splitlines()]
    assert [(line["event"], line["level"], line["logger"]) for line in lines] == [
        (r"fetched \u001b[2J", "info", "worker.test"),
        ("plain [secret]", "warning", "dbos"),
        ("failed", "error", "worker.test"),
    ]
    assert [line.get("task") for line in lines] == ["delivery:1", "delivery:1", None]
    assert (lines[0]["token"], lines[0]["sizes"]) == ("[secret]", [1, "[secret]"])
    assert lines[0]["job"] == {"[secret]": None}
    assert lines[2]["exception"].endswith("ValueError: with [secret]")


LOGGERS = ["httpx", "httpcore", "sqlalchemy.engine", "uvicorn.error", "dbos", "alembic", "app.webhook"]


@pytest.mark.parametrize("name", LOGGERS)
def test_no_logger_of_a_library_gets_a_token_past_us(name: str) -> None:
    """Neither in its message, nor in its arguments, nor in the texts of chained exceptions."""
    program = f"""
import logging
from app import logs
logs.configure()
logs.hide_also(["our own/secret"])
log = logging.getLogger({name!r})
log.error("our own/secret, our%%20own%%2Fsecret, %s", {{"at": "{SECRETS[5]}"}})
try:
    try:
        raise OSError("{SECRETS[0]}")
    except OSError as error:
        raise ValueError("https://u:{SECRETS[4]}@h/?sig=c2ln") from error
except ValueError:
    log.exception("failed with %r", {KEY!r})
"""
    said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stderr
    assert [json.loads(line)["logger"] for line in said.splitlines()] == [name, name]
    hidden = ["own/secret", "own%2Fsecret", "c2ln", "MIIEp", *(one[:20] for one in SECRETS)]
    assert not [one for one in hidden if one in said]


def test_levels_below_are_left_out_of_library_logs_too() -> None:
    program = SAYS + "logging.getLogger('httpx').info('GET https://signed')\n"
    said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stderr
    assert "signed" not in said


def test_a_line_logged_at_each_try_is_told_seldom_and_the_others_are_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now_s = 0.0
    seldom, logger = logs.Seldom(10, lambda: now_s), logging.getLogger("of a library")
    logger.addFilter(seldom)
    for now_s in (0.0, 1.0, 9.0, 10.0, 30.0):
        logger.warning("try at %s s failed", now_s)
        if now_s == 1.0:
            logger.warning("another matter")
    told = ["try at 0.0 s failed", "another matter", "try at 10.0 s failed (and 2 like it since the last)"]
    assert caplog.messages == [*told, "try at 30.0 s failed"]
