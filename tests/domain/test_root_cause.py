"""Among several exceptions, the cause outranks what it brought on."""

import pytest
from failure_texts import CONTEXT, HANDOFF, handoff_text, native_text, signed

from app.domain.raised import Raised
from app.domain.root_cause import Standing, find_cause, standing_of

PEER = "RuntimeError: [../gloo/transport/tcp/pair.cc:525] Connection closed by peer [127.0.0.1]:19874"


def ranked(rank: int, text: str) -> str:
    return "\n".join(f"[rank{rank}]: {line}" for line in text.split("\n"))


@pytest.mark.parametrize(
    ("type_name", "message", "standing"),
    [
        ("ValueError", "bad", Standing.OWN),
        ("ProcessExitedException", "process 1 terminated with signal SIGSEGV", Standing.CRASHED),
        ("ProcessExitedException", "process 1 terminated with signal SIGKILL", Standing.KILLED),
        (
            "RuntimeError",
            "Timed out waiting 2000ms for send operation to complete",
            Standing.COLLECTIVE_TIMEOUT,
        ),
        ("ConnectionResetError", "[Errno 104]", Standing.LOST_PEER),
        ("BrokenPipeError", "", Standing.LOST_PEER),
        ("DistStoreError", "wait timeout after 3000ms", Standing.LOST_PEER),
        ("ProcessExitedException", "process 1 terminated with exit code 1", Standing.ENDED),
        ("SystemExit", "1", Standing.ENDED),
        ("RuntimeError", "Process completed with exit code 1.", Standing.ENDED),
    ],
)
def test_standing_by_type_and_headline(type_name: str, message: str, standing: Standing) -> None:
    assert standing_of(Raised(type_name, (message,))) is standing


def test_nothing_found_is_no_cause() -> None:
    assert find_cause([]) is None


def test_a_carrier_counts_only_where_nothing_was_carried() -> None:
    carrier = (Raised("ProcessRaisedException", ("",), carrier=True), Standing.OWN)
    carried = (Raised("OSError", ("x",)), Standing.LOST_PEER)
    found = find_cause([carrier, carried])
    assert found is not None
    assert found.root is carried[0]
    alone = find_cause([carrier])
    assert alone is not None
    assert alone.root is carrier[0]


@pytest.mark.parametrize("own_first", [True, False])
def test_own_exception_outranks_a_lost_peer_whichever_was_printed_first(*, own_first: bool) -> None:
    own, lost = ranked(1, native_text()), ranked(0, native_text(error=PEER))
    text = f"{own}\n{lost}" if own_first else f"{lost}\n{own}"
    root = signed(text).record.chain
    assert [link.type for link in root] == ["ValueError"]


def test_interleaved_ranks_are_sorted_out() -> None:
    own, lost = ranked(1, native_text()).split("\n"), ranked(0, native_text(error=PEER)).split("\n")
    mixed = "\n".join(line for pair in zip(own, lost, strict=True) for line in pair)
    assert signed(mixed).group == signed("\n".join([*lost, *own])).group
    assert signed(mixed).record.attributes.ranks == (0, 1)


def test_lost_peer_in_a_chain_is_collateral() -> None:
    text = f"{native_text(error='AssertionError: loss differs')}\n\n{CONTEXT}\n\n{native_text(error=PEER)}"
    assert [link.type for link in signed(text).record.chain] == ["AssertionError"]


def test_lost_peer_alone_is_the_best_there_is() -> None:
    assert (
        signed(native_text(error=PEER)).record.template == "[pair.cc:<line>] Connection closed by peer <ip>"
    )


def test_which_of_two_failing_ranks_printed_first_does_not_matter() -> None:
    one, other = ranked(0, native_text(error="KeyError: 'a'")), ranked(1, native_text(error="OSError: b"))
    assert signed(f"{one}\n{other}").group == signed(f"{other}\n{one}").group


def test_which_rank_failed_does_not_matter() -> None:
    assert signed(ranked(0, native_text())).group == signed(ranked(3, native_text())).group


def test_captured_traceback_explains_an_opaque_assertion_only() -> None:
    heard = f"----- Captured stderr call -----\nProcess SpawnProcess-2:\n{native_text()}"
    assert signed(f"{handoff_text()}\n{heard}", test=HANDOFF).record.chain[0].type == "ValueError"
    told = native_text(error="OSError: told")
    assert signed(f"{told}\n{heard}").record.chain[0].type == "OSError"


def test_outermost_of_a_chain_is_part_of_the_group() -> None:
    inner, outer = native_text(error="KeyError: 'a'"), native_text(error="ImportError: b")
    chained = signed(f"{inner}\n\n{CONTEXT}\n\n{outer}")
    assert [link.type for link in chained.record.chain] == ["KeyError", "ImportError"]
    assert chained.group != signed(inner).group
