"""The two file formats that `ingest` reads, as its help tells them; the README has the same tables."""

FORMATS = """\
\b
Example: flake-triage ingest results/ --repo you/yours --run 1
           --job 'test (3.12)' --sha "$(git rev-parse HEAD)"
Example: flake-triage ingest --manifest history.jsonl --commits commits.jsonl
\b
A manifest holds one JSON object a line, in the order of time, each one job:
  required  repo         owner/name
            workflow     the workflow's name
            run          the run's id, a number
            event        push, pull_request, schedule, ...
            sha          the commit; of a pull request, its head
            job          the job's name, with its matrix values
            started_at   2026-07-16T19:04:11Z
            conclusion   success, failure, cancelled, skipped, timed_out, ...
  optional  paths        results files or folders, seen from the manifest
            log          the job's log, seen from the manifest
            attempt      1 if absent
            branch, pr   where the commit is, and its pull request's number
            tree         the tree that was tested
            parents      of the merge that was tested, or of the commit
            base_sha     a commit of the base without the change
            variant, shard  if the job's name does not tell them
            job_id, runner, actor, completed_at
\b
A file that a line names and that is missing is a gap; a line that cannot be
read is told and passed over. Other fields are ignored.
\b
A commits file holds one JSON object a line, each one commit:
  required  sha
  optional  parents      a list; absent means not known, [] means none
            tree, author, branch, pr
            at           from when it is known, 2026-07-16T19:04:11Z
\b
Every sha, tree and parent is whole: 40 or 64 hexadecimal digits.
"""
