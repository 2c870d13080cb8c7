"""Which texts can be a repository's name."""

import pytest

from app.domain.repo_name import former_name, is_repo_name


@pytest.mark.parametrize("name", ["octo/lib", "octo/.github", "o/a.b-c_d", "octo/..."])
def test_names_are_taken(name: str) -> None:
    assert is_repo_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "octo",
        "octo/",
        "/lib",
        "octo/.",
        "octo/..",
        "../lib",
        "a/../b",
        "a/b/c",
        "a b/c",
        "a/b\n",
        "a/" + "b" * 101,
    ],
)
def test_what_means_something_else_in_an_address_is_none(name: str) -> None:
    assert not is_repo_name(name)


def test_a_former_name_is_no_name_to_github() -> None:
    assert former_name("octo/lib", 3) == "octo/lib (former repository 3)"
    assert not is_repo_name(former_name("octo/lib", 3))
