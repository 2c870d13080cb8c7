"""Names for identifiers, so that one kind cannot be passed for another."""

from typing import NewType

RepoName = NewType("RepoName", str)
"""`owner/name`, as GitHub spells it."""

RunId = NewType("RunId", int)
"""GitHub's id of a workflow run; a re-run keeps it."""

JobId = NewType("JobId", int)
"""GitHub's id of one execution of a job; a re-run job gets a new one."""

ArtifactId = NewType("ArtifactId", int)

DeliveryId = NewType("DeliveryId", str)
"""The GUID in `X-GitHub-Delivery`; a redelivery keeps it."""

Sha = NewType("Sha", str)
"""40 hexadecimal digits naming a commit."""

TreeSha = NewType("TreeSha", str)
"""40 hexadecimal digits naming a tree: equal trees are equal code."""
