"""What SARIF 2.1.0 and GitHub's code scanning demand of the objects that we write, as a JSON schema.

Closed: a property that is not named here is refused, so nothing is written that was not looked up. Names
and types are those of the standard's own schema (OASIS, sarif-schema-2.1.0.json); what is required, and how
long or many it may be, is said by docs.github.com, "SARIF support for code scanning".
"""

from typing import Any


def closed(required: list[str], **properties: Any) -> dict[str, Any]:
    names = {("$schema" if name == "schema" else name): kind for name, kind in properties.items()}
    return {"type": "object", "additionalProperties": False, "required": required, "properties": names}


def listed(items: Any, **limits: int) -> dict[str, Any]:
    return {"type": "array", "items": items, **limits}


TEXT = {"type": "string", "minLength": 1}
"""Code scanning refuses the empty string where it needs a property."""
AT = {"type": "integer", "minimum": 1}
MESSAGE = closed(["text"], text=TEXT)
DESCRIPTION = closed(["text"], text=TEXT | {"maxLength": 1024})
ADDRESS = closed(["uri"], uri=TEXT | {"pattern": r"^[!-~]+$"}, uriBaseId={"const": "%SRCROOT%"})
REGION = closed(
    ["startLine", "startColumn", "endLine", "endColumn"],
    startLine=AT,
    startColumn=AT,
    endLine=AT,
    endColumn=AT,
)
PLACE = closed(["artifactLocation", "region"], artifactLocation=ADDRESS, region=REGION)
LOGICAL = closed(["fullyQualifiedName", "kind"], fullyQualifiedName=TEXT, kind={"const": "function"})
LOCATION = closed(["physicalLocation"], physicalLocation=PLACE, logicalLocations=listed(LOGICAL))
LINE = closed(["startLine"], startLine=AT)
NEAR = closed(["artifactLocation"], artifactLocation=ADDRESS, region=LINE)
RELATED = closed(["id", "message", "physicalLocation"], id=AT, message=MESSAGE, physicalLocation=NEAR)
NOTIFICATION = closed(
    ["level", "message"],
    level={"enum": ["none", "note", "warning", "error"]},
    message=MESSAGE,
    locations=listed(closed(["physicalLocation"], physicalLocation=NEAR)),
)
SUPPRESSION = closed(
    ["kind", "status", "justification"],
    kind={"enum": ["inSource", "external"]},
    status={"enum": ["accepted", "underReview", "rejected"]},
    justification=TEXT,
)
RESULT = closed(
    ["ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints"],
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
    level={"enum": ["none", "note", "warning", "error"]},
    message=MESSAGE,
    locations=listed(LOCATION, minItems=1, maxItems=10),
    relatedLocations=listed(RELATED),
    partialFingerprints={
        "type": "object",
        "required": ["primaryLocationLineHash"],
        "additionalProperties": TEXT,
    },
    suppressions=listed(SUPPRESSION, minItems=1),
    properties={"type": "object"},
)
RULE = closed(
    ["id", "shortDescription", "fullDescription", "help"],
    id=TEXT,
    name=TEXT | {"maxLength": 255},
    shortDescription=DESCRIPTION,
    fullDescription=DESCRIPTION,
    help=closed(["text", "markdown"], text=TEXT, markdown=TEXT),
    defaultConfiguration=closed(["level"], level={"enum": ["note", "warning", "error"]}),
    properties=closed(
        ["tags", "precision", "problem.severity"],
        tags=listed(TEXT, maxItems=10),
        precision={"enum": ["very-high", "high", "medium", "low"]},
        **{"problem.severity": {"enum": ["error", "warning", "recommendation"]}},
    ),
)
DRIVER = closed(["name", "semanticVersion", "rules"], name=TEXT, semanticVersion=TEXT, rules=listed(RULE))
RUN = closed(
    ["tool", "results"],
    tool=closed(["driver"], driver=DRIVER),
    automationDetails=closed(["id"], id=TEXT | {"pattern": "/$"}),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    originalUriBaseIds=closed(["%SRCROOT%"], **{"%SRCROOT%": closed(["description"], description=MESSAGE)}),
    invocations=listed(
        closed(
            ["executionSuccessful"],
            executionSuccessful={"type": "boolean"},
            toolExecutionNotifications=listed(NOTIFICATION),
            toolConfigurationNotifications=listed(NOTIFICATION),
        )
    ),
    results=listed(RESULT, maxItems=25_000),
)
SHAPE = closed(
    ["$schema", "version", "runs"],
    schema=TEXT,
    version={"const": "2.1.0"},
    runs=listed(RUN, minItems=1, maxItems=20),
)
