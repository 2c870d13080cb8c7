"""The twelve rules as SARIF describes rules, with the help that code scanning shows beside each result."""

from app.domain.lint.finding import Rule
from app.domain.lint.meaning import Meaning
from app.domain.lint.meanings import MEANINGS

LONGEST_DESCRIPTION = 1024
"""In characters; code scanning takes no more."""


def rules() -> list[dict[str, object]]:
    """All of them in their order, whatever was found: a result names its rule by place too."""
    return [_rule(rule, MEANINGS[rule]) for rule in Rule]


def _rule(rule: Rule, meaning: Meaning) -> dict[str, object]:
    return {
        "id": rule.value,
        "name": "".join(word.capitalize() for word in rule.value.split("-")),
        "shortDescription": {"text": meaning.short},
        "fullDescription": {"text": meaning.why[:LONGEST_DESCRIPTION]},
        "help": {"text": plain(meaning), "markdown": markdown(meaning)},
        "defaultConfiguration": {"level": "warning"},
        "properties": {
            "tags": ["tests", "distributed", "diagnosability"],
            "precision": "high",
            "problem.severity": "warning",
        },
    }


def plain(meaning: Meaning) -> str:
    return f"{meaning.why}\n\nMend: {meaning.mend}\n\nBad:\n\n{meaning.bad}\n\nMended:\n\n{meaning.mended}\n"


def markdown(meaning: Meaning) -> str:
    return (
        f"{meaning.why}\n\n**Mend.** {meaning.mend}\n\n"
        f"Bad:\n\n```python\n{meaning.bad}\n```\n\nMended:\n\n```python\n{meaning.mended}\n```\n"
    )
