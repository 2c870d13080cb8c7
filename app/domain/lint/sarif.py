"""Findings as SARIF 2.1.0, as GitHub's code scanning, Azure DevOps and editors read it.

The standard: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0". What code scanning
needs beyond it: docs.github.com, "SARIF support for code scanning".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from app.domain.lint.finding import LintFinding, Rule, Window
from app.domain.lint.fingerprint import line_hashes, own_fingerprints
from app.domain.lint.sarif_rules import rules
from app.domain.lint.suppression import Sifted, Suppression
from app.domain.wording import listed

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"
"""The base of relative addresses, under the name that other tools use."""
CATEGORY = "flake-triage-lint/"
"""Code scanning replaces earlier results of the same category only; the slash ends its name."""
MOST_RESULTS = 25_000
"""Code scanning rejects a file with more results in one run."""

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Linted:
    """One file that was read: its path with slashes, relative where it can be, its text, what was found."""

    path: str
    source: str
    found: Sifted


@dataclass(frozen=True, slots=True)
class Unread:
    path: str
    reason: str


def sarif(
    files: Iterable[Linted],
    *,
    version: str,
    unread: Iterable[Unread] = (),
    shows_suppressed: bool = False,
    most: int = MOST_RESULTS,
) -> Json:
    """One run with all rules, and a result for each finding: `most` of them, and then it says so.

    Suppressed findings are left out unless asked for: code scanning takes no notice of `suppressions`, and
    would show each as an open alert (github/codeql-action, issue 1230).
    """
    linted = tuple(files)
    results = [one for file in linted for one in _results(file, shows_suppressed=shows_suppressed)]
    reading = [_notification(one.path, one.reason, level="error") for one in unread]
    if len(results) > most:
        reading.append(_note(f"{len(results) - most} results more were left out", level="error"))
    comments = [
        _notification(file.path, problem.text, line=problem.line, level="warning")
        for file in linted
        for problem in file.found.problems
    ]
    driver = {"name": "flake-triage", "semanticVersion": version, "rules": rules()}
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": CATEGORY},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            ROOT: {
                "description": {"text": "The folder that flake-triage was started in: the repository's root."}
            }
        },
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": reading,
                "toolConfigurationNotifications": comments,
            }
        ],
        "results": results[:most],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _results(file: Linted, *, shows_suppressed: bool) -> Iterator[Json]:
    why = {one.finding: one.by for one in file.found.suppressed} if shows_suppressed else {}
    findings = sorted((*file.found.kept, *why), key=lambda one: (one.line, one.rule))
    if not findings:
        return
    hashes = line_hashes(file.source)
    lines = file.source.split("\n")
    for finding, own in zip(findings, own_fingerprints(findings, file.source), strict=True):
        fingerprints = {
            "flakeTriageLint/v1": own,
            "primaryLocationLineHash": hashes[finding.line - 1],
        }
        yield _result(finding, lines, fingerprints, why.get(finding))


def _result(
    finding: LintFinding, lines: Sequence[str], fingerprints: Mapping[str, str], by: Suppression | None
) -> Json:
    result: Json = {
        "ruleId": finding.rule.value,
        "ruleIndex": list(Rule).index(finding.rule),
        "level": "warning",
        "message": {"text": _message(finding)},
        "locations": [_location(finding, lines)],
        "partialFingerprints": fingerprints,
        "properties": {"test": finding.test, "sisters": list(finding.sisters), "mend": finding.mend},
    }
    if finding.window:
        result["relatedLocations"] = list(_related(finding.path, finding.window))
    if by:
        result["suppressions"] = [{"kind": "inSource", "status": "accepted", "justification": by.reason}]
    return result


def _message(finding: LintFinding) -> str:
    """The sentence, which is all that is shown where there is little room; then tests and mend."""
    parts = [finding.text]
    if finding.test:
        sisters = f"; so do {listed(finding.sisters)}" if finding.sisters else ""
        parts.append(f"{finding.test} has this weakness{sisters}.")
    if finding.mend:
        parts.append(f"Mend:\n{finding.mend.strip()}")
    return "\n\n".join(parts).replace("](", "\\](")  # else it is a link in a message of SARIF


def _location(finding: LintFinding, lines: Sequence[str]) -> Json:
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": len(lines[finding.end_line - 1]) + 1,
    }
    location: Json = {"physicalLocation": {"artifactLocation": artifact(finding.path), "region": region}}
    if finding.test:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.test, "kind": "function"}]
    return location


def _related(path: str, window: Window) -> Iterator[Json]:
    told = ((window.after_line, f"after {window.after}"), (window.before_line, f"before {window.before}"))
    for number, (line, words) in enumerate(told, start=1):
        yield {
            "id": number,
            "message": {"text": f"A mend must stand {words}"},
            "physicalLocation": {"artifactLocation": artifact(path), "region": {"startLine": line}},
        }


def _notification(path: str, text: str, *, level: str, line: int | None = None) -> Json:
    place: Json = {"artifactLocation": artifact(path)}
    if line is not None:
        place["region"] = {"startLine": line}
    return {**_note(text, level=level), "locations": [{"physicalLocation": place}]}


def _note(text: str, *, level: str) -> Json:
    return {"level": level, "message": {"text": text}}


def artifact(path: str) -> Json:
    """An address below the root where the path is relative, else an absolute one. Takes any file name."""
    address = quote(path, safe="/~", errors="surrogateescape")
    return {"uri": f"file://{address}"} if path.startswith("/") else {"uri": address, "uriBaseId": ROOT}
