"""GitHub's own description as a check of both directions: requests made to the stand-in, and its answers."""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Self, cast

import jsonschema
from referencing.jsonschema import DRAFT202012, EMPTY_REGISTRY

from app.standin.shapes.accounts import Json

ROOT = "urn:github"

EXTRAS = frozenset({("GET", "/user")})
"""Calls that we make and that the subset at hand does not hold."""

UNDESCRIBED_STATUSES = frozenset({304, 401, 403, 404, 422, 429})
"""Answers that every call may get, and that the description names for some calls only."""


class OpenApiContract:
    """Sentences in GitHub's words; a known gap of its description is mended where it is loaded."""

    def __init__(self, spec: Json) -> None:
        self._spec = spec
        self._registry = EMPTY_REGISTRY.with_resource(ROOT, DRAFT202012.create_resource(spec))
        self._formats = jsonschema.FormatChecker(())
        self._formats.checks("date-time", raises=ValueError)(_is_instant)
        self._formats.checks("uri")(_is_uri)
        self._validators: dict[str, jsonschema.Draft202012Validator] = {}

    @classmethod
    def load(cls, path: Path) -> Self:
        return cls(_loaded(path))

    def request_violations(
        self, method: str, path: str, template: str | None, query: Mapping[str, str], body: object | None
    ) -> list[str]:
        if template is None:
            return [f"{method} {path}: no such call"]
        if (method, template) in EXTRAS:
            return []
        operation = self._operation(method, template)
        if operation is None:
            return [f"{method} {template}: not described"]
        known = {name for name, place in self._parameters(operation) if place == "query"}
        found = [f"{method} {template}: unknown parameter {name!r}" for name in query if name not in known]
        where = f"{method} {template} body"
        if "requestBody" not in operation:
            return found if body is None else [*found, f"{where}: none is expected"]
        pointer = self._pointer(template, method, "requestBody", "content", "application/json", "schema")
        return found + self._check(where, pointer, {} if body is None else body)

    def answer_violations(self, method: str, template: str, status: int, body: object) -> list[str]:
        """Errors that the description leaves out are not checked: see UNDESCRIBED_STATUSES."""
        operation = self._operation(method, template)
        if operation is None:
            return []
        responses = cast("Json", operation["responses"])
        where = f"{method} {template} {status}"
        if str(status) not in responses:
            return [] if status in UNDESCRIBED_STATUSES else [f"{where}: not described"]
        pointer = self._answer_pointer(template, method, status)
        return [] if pointer is None else self._check(where, pointer, body)

    def _operation(self, method: str, template: str) -> Json | None:
        paths = cast("dict[str, dict[str, Json]]", self._spec["paths"])
        return paths.get(template, {}).get(method.lower())

    def _parameters(self, operation: Json) -> list[tuple[str, str]]:
        listed = cast("list[Json]", operation.get("parameters", []))
        resolved = [self._at(str(one["$ref"])) if "$ref" in one else one for one in listed]
        return [(str(one["name"]), str(one["in"])) for one in resolved]

    def _at(self, reference: str) -> Json:
        found = self._spec
        for part in reference.removeprefix("#/").split("/"):
            found = cast("Json", found[part])
        return found

    def _answer_pointer(self, template: str, method: str, status: int) -> str | None:
        operation = self._operation(method, template) or {}
        response = cast("Json", cast("Json", operation["responses"])[str(status)])
        if "$ref" in response:
            reference = str(response["$ref"])
            response, start = self._at(reference), reference
        else:
            start = self._pointer(template, method, "responses", str(status))
        has_schema = "application/json" in cast("Json", response.get("content", {}))
        return f"{start}/content/application~1json/schema" if has_schema else None

    def _pointer(self, template: str, method: str, *parts: str) -> str:
        steps = ("paths", template, method.lower(), *parts)
        return "#/" + "/".join(step.replace("~", "~0").replace("/", "~1") for step in steps)

    def _check(self, where: str, pointer: str, body: object) -> list[str]:
        if pointer not in self._validators:
            self._validators[pointer] = jsonschema.Draft202012Validator(
                {"$ref": f"{ROOT}{pointer}"}, registry=self._registry, format_checker=self._formats
            )
        errors = self._validators[pointer].iter_errors(body)
        return [f"{where} at {error.json_path}: {error.message[:300]}" for error in errors]


@cache
def _loaded(path: Path) -> Json:
    """The description as JSON Schema; a deleted fork's `head_repository` is null, whatever it says."""
    spec = cast("Json", _with_null(json.loads(path.read_bytes())))
    schemas = cast("dict[str, dict[str, Json]]", cast("Json", spec["components"])["schemas"])
    run = schemas["workflow-run"]["properties"]
    run["head_repository"] = {"anyOf": [run["head_repository"], {"type": "null"}]}
    return spec


def _with_null(node: object) -> object:
    """OpenAPI 3.0 says `nullable` where JSON Schema says that null is one of the types."""
    if isinstance(node, list):
        return [_with_null(one) for one in node]
    if not isinstance(node, dict):
        return node
    node = {name: _with_null(value) for name, value in node.items()}
    if node.get("nullable") is not True:
        return node
    del node["nullable"]
    return {"anyOf": [node, {"type": "null"}]}


def _is_instant(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


def _is_uri(value: object) -> bool:
    return not isinstance(value, str) or re.fullmatch(r"[a-z][a-z0-9+.-]*:[^\s<>\"]+", value) is not None
