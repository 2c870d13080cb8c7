"""Bytes become clean UTF-8 whatever their encoding, and every repair is noted."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.results.xml_text import Repairs, clean_chunks, detect_encoding, replace_references


def cleaned(raw: bytes) -> tuple[str, list[str]]:
    repairs = Repairs()
    text = b"".join(clean_chunks(io.BytesIO(raw), repairs)).decode("utf-8")
    return text, repairs.notes()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_outranks_the_declaration(encoding: str) -> None:
    text = '<?xml version="1.0" encoding="latin-1"?><a name="é語"/>'
    assert cleaned(text.encode(encoding)) == (text, [])


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_known_without_a_mark(encoding: str) -> None:
    assert cleaned('<a b="é"/>'.encode(encoding)) == ('<a b="é"/>', [])


@pytest.mark.parametrize("encoding", ["iso-8859-1", "windows-1252", "shift_jis", "koi8-r"])
def test_a_declared_encoding_is_used(encoding: str) -> None:
    assert detect_encoding(f"<?xml version='1.0' encoding='{encoding}'?>".encode())[1] == 0
    word = "д" if encoding == "koi8-r" else "語" if encoding == "shift_jis" else "é"
    text = f"<?xml version='1.0' encoding='{encoding}'?><a>{word}</a>"
    assert cleaned(text.encode(encoding)) == (text, [])


@pytest.mark.parametrize("declared", ["utf-16", "rot13", "zip", "no-such", "utf-8"])
def test_an_encoding_that_cannot_be_true_reads_as_utf_8(declared: str) -> None:
    text = f'<?xml version="1.0" encoding="{declared}"?><a>é</a>'
    assert cleaned(text.encode()) == (text, [])


def test_bytes_of_another_encoding_are_replaced_and_noted() -> None:
    text, notes = cleaned(b"<a>na\xefve</a>")
    assert text == "<a>na\N{REPLACEMENT CHARACTER}ve</a>"
    assert notes == ["bytes that are not utf-8 were replaced"]


def test_a_character_cut_by_a_chunk_is_no_damage() -> None:
    raw = b"<" + b"a" * (64 * 1024 - 2) + "é".encode() + b">"
    assert cleaned(raw) == (raw.decode(), [])


def test_forbidden_characters_are_removed_and_counted() -> None:
    text, notes = cleaned("a\x00b\x1b[1mc\ufffed\tk".encode())
    assert text == "ab[1mc\N{REPLACEMENT CHARACTER}d\tk"
    assert notes == ["3 characters that XML forbids were removed"]


@pytest.mark.parametrize("reference", ["&#27;", "&#x1B;", "&#xD83D;", "&#xFFFE;", "&#x110000;", "&#0;"])
def test_a_reference_to_a_forbidden_character_is_replaced(reference: str) -> None:
    repairs = Repairs()
    assert replace_references(reference.encode(), repairs) == "\N{REPLACEMENT CHARACTER}".encode()
    assert repairs.notes() == ["1 references to characters that XML forbids were replaced"]


@pytest.mark.parametrize("reference", ["&#9;", "&#x41;", "&#xE9;", "&#x1F600;", "&amp;", "&#;"])
def test_a_sound_reference_stays(reference: str) -> None:
    repairs = Repairs()
    assert replace_references(reference.encode(), repairs) == reference.encode()
    assert repairs.notes() == []


@given(st.integers(0, 40))
def test_a_reference_is_never_cut_in_two(offset: int) -> None:
    raw = b"x" * (64 * 1024 - offset) + b"&#x1F600;" + b"y" * 40
    chunks = list(clean_chunks(io.BytesIO(raw), Repairs()))
    assert b"".join(chunks) == raw
    assert any(b"&#x1F600;" in chunk for chunk in chunks)


@given(st.binary(max_size=500))
def test_cleaning_is_total_and_leaves_valid_text(raw: bytes) -> None:
    text, _ = cleaned(raw)
    assert not set(text) & {"\x00", "\x1b", "\ufffe", "\uffff"}
