"""make the app tables"""

import sqlalchemy as sa
from alembic import op

from app.store.base import Json, RowId, UtcDateTime

revision = "20261130_app_1"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "blobs",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("size_bytes", RowId, nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_blobs")),
    )
    op.create_table(
        "daily_counts",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("test_id", RowId, nullable=False),
        sa.Column("variant_id", RowId, nullable=False),
        sa.Column("ran", RowId, nullable=False),
        sa.Column("red", RowId, nullable=False),
        sa.Column("skipped", RowId, nullable=False),
        sa.Column("duration_ms", RowId, nullable=False),
        sa.PrimaryKeyConstraint("day", "test_id", "variant_id", name=op.f("pk_daily_counts")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_daily_counts_test", "daily_counts", ["test_id", "day"], unique=False)
    op.create_table(
        "outbox",
        sa.Column("id", RowId, nullable=False),
        sa.Column("key", sa.String(length=300), nullable=False),
        sa.Column("number", RowId, nullable=False),
        sa.Column("stage", sa.String(length=60), nullable=False),
        sa.Column("payload", Json, nullable=False),
        sa.Column("partition", sa.String(length=400), nullable=True),
        sa.Column("run_after", UtcDateTime(), nullable=True),
        sa.Column("relayed_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("key", "number", name=op.f("uq_outbox_key_number")),
    )
    op.create_index(
        "ix_outbox_waiting",
        "outbox",
        ["id"],
        unique=False,
        sqlite_where=sa.text("relayed_at IS NULL"),
        postgresql_where=sa.text("relayed_at IS NULL"),
    )
    op.create_table(
        "repos",
        sa.Column("id", RowId, nullable=False),
        sa.Column("full_name", sa.String(length=300), nullable=False),
        sa.Column("shown_name", sa.String(length=300), nullable=False),
        sa.Column("github_id", RowId, nullable=True),
        sa.Column("default_branch", sa.String(length=300), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_repos")),
        sa.UniqueConstraint("full_name", name=op.f("uq_repos_full_name")),
    )
    op.create_index(op.f("ix_repos_github_id"), "repos", ["github_id"], unique=False)
    op.create_table(
        "tasks",
        sa.Column("key", sa.String(length=300), nullable=False),
        sa.Column("stage", sa.String(length=60), nullable=False),
        sa.Column("payload", Json, nullable=False),
        sa.Column("partition", sa.String(length=400), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("tries", RowId, nullable=False),
        sa.Column("total_tries", RowId, nullable=False),
        sa.Column("number", RowId, nullable=False),
        sa.Column("interrupted", RowId, nullable=False),
        sa.Column("error_family", sa.String(length=40), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("next_at", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_tasks")),
    )
    op.create_index("ix_tasks_state", "tasks", ["state", "updated_at"], unique=False)
    op.create_table(
        "alerts",
        sa.Column("id", RowId, nullable=False),
        sa.Column("repo_id", RowId, nullable=False),
        sa.Column("branch", sa.String(length=300), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("opened_on", sa.String(length=64), nullable=False),
        sa.Column("opened_at", UtcDateTime(), nullable=False),
        sa.Column("closed_on", sa.String(length=64), nullable=True),
        sa.Column("closed_at", UtcDateTime(), nullable=True),
        sa.Column("issue", RowId, nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("history", Json, nullable=False),
        sa.ForeignKeyConstraint(["repo_id"], ["repos.id"], name=op.f("fk_alerts_repo_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alerts")),
        sa.UniqueConstraint(
            "repo_id", "branch", "opened_on", name=op.f("uq_alerts_repo_id_branch_opened_on")
        ),
    )
    op.create_index(
        "uq_alerts_open",
        "alerts",
        ["repo_id", "branch"],
        unique=True,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    )
    op.create_table(
        "changes",
        sa.Column("id", RowId, nullable=False),
        sa.Column("repo_id", RowId, nullable=False),
        sa.Column("head", sa.String(length=64), nullable=False),
        sa.Column("base", sa.String(length=64), nullable=True),
        sa.Column("own", Json, nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["repo_id"], ["repos.id"], name=op.f("fk_changes_repo_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_changes")),
        sa.UniqueConstraint("repo_id", "head", name=op.f("uq_changes_repo_id_head")),
    )
    op.create_table(
        "commit_relations",
        sa.Column("id", RowId, nullable=False),
        sa.Column("repo_id", RowId, nullable=False),
        sa.Column("base", sa.String(length=64), nullable=False),
        sa.Column("head", sa.String(length=64), nullable=False),
        sa.Column("merge_base", sa.String(length=64), nullable=False),
        sa.Column("ahead_by", RowId, nullable=False),
        sa.Column("behind_by", RowId, nullable=False),
        sa.Column("own", Json, nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["repo_id"], ["repos.id"], name=op.f("fk_commit_relations_repo_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_commit_relations")),
        sa.UniqueConstraint("repo_id", "base", "head", name=op.f("uq_commit_relations_repo_id_base_head")),
    )
    op.create_table(
        "commits",
        sa.Column("id", RowId, nullable=False),
        sa.Column("repo_id", RowId, nullable=False),
        sa.Column("sha", sa.String(length=64), nullable=False),
        sa.Column("tree", sa.String(length=64), nullable=True),
        sa.Column("parents", Json, nullable=True),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.Column("author", sa.String(length=200), nullable=True),
        sa.Column("branch", sa.String(length=300), nullable=True),
        sa.Column("pull", RowId, nullable=True),
        sa.Column("committed_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["repo_id"], ["repos.id"], name=op.f("fk_commits_repo_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_commits")),
        sa.UniqueConstraint("repo_id", "sha", name=op.f("uq_commits_repo_id_sha")),
    )
    op.create_table(
        "pull_comments",
        sa.Column("id", RowId, nullable=False),
        sa.Column("repo_id", RowId, nullable=False),
        sa.Column("pull", RowId, nullable=False),
        sa.Column("github_id", RowId, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("published_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["repo_id"], ["repos.id"], name=op.f("fk_pull_comments_repo_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pull_comments")),
        sa.UniqueConstraint("repo_id", "pull", name=op.f("uq_pull_comments_repo_id_pull")),
    )
    op.create_table(
        "pulls",
        sa.Column("id", RowId, nullable=False),
        sa.Column("repo_id", RowId, nullable=False),
        sa.Column("number", RowId, nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("author", sa.String(length=100), nullable=True),
        sa.Column("head_sha", sa.String(length=64), nullable=False),
        sa.Column("head_branch", sa.String(length=300), nullable=False),
        sa.Column("base_branch", sa.String(length=300), nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("merged_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["repo_id"], ["repos.id"], name=op.f("fk_pulls_repo_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pulls")),
        sa.UniqueConstraint("repo_id", "number", name=op.f("uq_pulls_repo_id_number")),
    )
    op.create_index(op.f("ix_pulls_head_sha"), "pulls", ["head_sha"], unique=False)
    op.create_table(
        "runs",
        sa.Column("id", RowId, nullable=False),
        sa.Column("repo_id", RowId, nullable=False),
        sa.Column("github_id", RowId, nullable=False),
        sa.Column("workflow_id", RowId, nullable=False),
        sa.Column("workflow", sa.String(length=300), nullable=False),
        sa.Column("event", sa.String(length=60), nullable=False),
        sa.Column("head_sha", sa.String(length=64), nullable=False),
        sa.Column("head_branch", sa.String(length=300), nullable=True),
        sa.Column("pull", RowId, nullable=True),
        sa.Column("from_fork", sa.Boolean(), nullable=False),
        sa.Column("url", sa.String(length=500), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["repo_id"], ["repos.id"], name=op.f("fk_runs_repo_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("repo_id", "github_id", name=op.f("uq_runs_repo_id_github_id")),
    )
    op.create_index("ix_runs_branch", "runs", ["repo_id", "head_branch", "created_at"], unique=False)
    op.create_index("ix_runs_head", "runs", ["repo_id", "head_sha"], unique=False)
    op.create_index(op.f("ix_runs_pull"), "runs", ["pull"], unique=False)
    op.create_table(
        "tests",
        sa.Column("id", RowId, nullable=False),
        sa.Column("repo_id", RowId, nullable=False),
        sa.Column("identity", sa.String(length=32), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("suite", sa.Text(), nullable=False),
        sa.Column("classname", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("base_label", sa.String(length=500), nullable=False),
        sa.ForeignKeyConstraint(["repo_id"], ["repos.id"], name=op.f("fk_tests_repo_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tests")),
        sa.UniqueConstraint("repo_id", "identity", name=op.f("uq_tests_repo_id_identity")),
    )
    op.create_index("ix_tests_base", "tests", ["repo_id", "base_label"], unique=False)
    op.create_table(
        "variants",
        sa.Column("id", RowId, nullable=False),
        sa.Column("repo_id", RowId, nullable=False),
        sa.Column("workflow_id", RowId, nullable=False),
        sa.Column("name", sa.String(length=500), nullable=False),
        sa.ForeignKeyConstraint(["repo_id"], ["repos.id"], name=op.f("fk_variants_repo_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_variants")),
        sa.UniqueConstraint(
            "repo_id", "workflow_id", "name", name=op.f("uq_variants_repo_id_workflow_id_name")
        ),
    )
    op.create_table(
        "attempts",
        sa.Column("id", RowId, nullable=False),
        sa.Column("run_id", RowId, nullable=False),
        sa.Column("number", RowId, nullable=False),
        sa.Column("conclusion", sa.String(length=30), nullable=True),
        sa.Column("actor", sa.String(length=100), nullable=True),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("completed_at", UtcDateTime(), nullable=False),
        sa.Column("recorded_at", UtcDateTime(), nullable=False),
        sa.Column("judged_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_attempts_run_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempts")),
        sa.UniqueConstraint("run_id", "number", name=op.f("uq_attempts_run_id_number")),
    )
    op.create_table(
        "groups",
        sa.Column("id", RowId, nullable=False),
        sa.Column("repo_id", RowId, nullable=False),
        sa.Column("test_id", RowId, nullable=True),
        sa.Column("key", sa.String(length=80), nullable=False),
        sa.Column("algorithm", RowId, nullable=False),
        sa.Column("category", sa.String(length=40), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("opaque", sa.Boolean(), nullable=False),
        sa.Column("first_seen_at", UtcDateTime(), nullable=False),
        sa.Column("last_seen_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["repo_id"], ["repos.id"], name=op.f("fk_groups_repo_id")),
        sa.ForeignKeyConstraint(["test_id"], ["tests.id"], name=op.f("fk_groups_test_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_groups")),
        sa.UniqueConstraint("repo_id", "key", name=op.f("uq_groups_repo_id_key")),
    )
    op.create_index("ix_groups_last_seen", "groups", ["repo_id", "last_seen_at"], unique=False)
    op.create_index(op.f("ix_groups_test_id"), "groups", ["test_id"], unique=False)
    op.create_table(
        "gaps",
        sa.Column("id", RowId, nullable=False),
        sa.Column("attempt_id", RowId, nullable=False),
        sa.Column("job_id", RowId, nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=500), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("noted_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempts.id"], name=op.f("fk_gaps_attempt_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gaps")),
        sa.UniqueConstraint(
            "attempt_id", "job_id", "kind", "subject", name=op.f("uq_gaps_attempt_id_job_id_kind_subject")
        ),
    )
    op.create_index("ix_gaps_noted_at", "gaps", ["noted_at"], unique=False)
    op.create_table(
        "jobs",
        sa.Column("id", RowId, nullable=False),
        sa.Column("attempt_id", RowId, nullable=False),
        sa.Column("github_id", RowId, nullable=False),
        sa.Column("name", sa.String(length=500), nullable=False),
        sa.Column("variant_id", RowId, nullable=False),
        sa.Column("shard", sa.String(length=60), nullable=True),
        sa.Column("conclusion", sa.String(length=30), nullable=True),
        sa.Column("runner", sa.String(length=200), nullable=True),
        sa.Column("labels", Json, nullable=False),
        sa.Column("failed_step", sa.String(length=300), nullable=True),
        sa.Column("url", sa.String(length=500), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("completed_at", UtcDateTime(), nullable=True),
        sa.Column("tree_source", sa.String(length=20), nullable=False),
        sa.Column("tested_commit", sa.String(length=64), nullable=True),
        sa.Column("tested_tree", sa.String(length=64), nullable=True),
        sa.Column("tested_base", sa.String(length=64), nullable=True),
        sa.Column("base_in_head", sa.Boolean(), nullable=True),
        sa.Column("counted_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempts.id"], name=op.f("fk_jobs_attempt_id")),
        sa.ForeignKeyConstraint(["variant_id"], ["variants.id"], name=op.f("fk_jobs_variant_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sa.UniqueConstraint("attempt_id", "github_id", name=op.f("uq_jobs_attempt_id_github_id")),
    )
    op.create_index("ix_jobs_tested_tree", "jobs", ["tested_tree"], unique=False)
    op.create_index("ix_jobs_variant", "jobs", ["variant_id", "started_at"], unique=False)
    op.create_table(
        "artifacts",
        sa.Column("id", RowId, nullable=False),
        sa.Column("attempt_id", RowId, nullable=False),
        sa.Column("github_id", RowId, nullable=False),
        sa.Column("job_id", RowId, nullable=True),
        sa.Column("name", sa.String(length=300), nullable=False),
        sa.Column("size_bytes", RowId, nullable=False),
        sa.Column("digest", sa.String(length=100), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempts.id"], name=op.f("fk_artifacts_attempt_id")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_artifacts_job_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_artifacts")),
        sa.UniqueConstraint("attempt_id", "github_id", name=op.f("uq_artifacts_attempt_id_github_id")),
    )
    op.create_table(
        "failures",
        sa.Column("id", RowId, nullable=False),
        sa.Column("repo_id", RowId, nullable=False),
        sa.Column("attempt_id", RowId, nullable=False),
        sa.Column("job_id", RowId, nullable=False),
        sa.Column("test_id", RowId, nullable=True),
        sa.Column("test_key", RowId, nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("text_blob", sa.String(length=64), nullable=False),
        sa.Column("cut", sa.Boolean(), nullable=False),
        sa.Column("path", sa.Text(), nullable=True),
        sa.Column("line", RowId, nullable=True),
        sa.Column("failed_at", UtcDateTime(), nullable=False),
        sa.Column("group_id", RowId, nullable=True),
        sa.Column("algorithm", RowId, nullable=True),
        sa.Column("keys", Json, nullable=True),
        sa.Column("category", sa.String(length=40), nullable=True),
        sa.Column("generic", sa.Boolean(), nullable=True),
        sa.Column("opaque", sa.Boolean(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("record", Json, nullable=True),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempts.id"], name=op.f("fk_failures_attempt_id")),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_failures_group_id")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_failures_job_id")),
        sa.ForeignKeyConstraint(["repo_id"], ["repos.id"], name=op.f("fk_failures_repo_id")),
        sa.ForeignKeyConstraint(["test_id"], ["tests.id"], name=op.f("fk_failures_test_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_failures")),
        sa.UniqueConstraint("job_id", "test_key", name=op.f("uq_failures_job_id_test_key")),
    )
    op.create_index("ix_failures_attempt", "failures", ["attempt_id"], unique=False)
    op.create_index("ix_failures_group", "failures", ["group_id", "failed_at"], unique=False)
    op.create_index("ix_failures_repo", "failures", ["repo_id", "failed_at"], unique=False)
    op.create_index("ix_failures_test", "failures", ["test_id", "failed_at"], unique=False)
    op.create_table(
        "run_vectors",
        sa.Column("job_id", RowId, autoincrement=False, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("codec", RowId, nullable=False),
        sa.Column("count", RowId, nullable=False),
        sa.Column("red_count", RowId, nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_run_vectors_job_id")),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_run_vectors")),
    )
    op.create_index(op.f("ix_run_vectors_day"), "run_vectors", ["day"], unique=False)
    op.create_table(
        "source_files",
        sa.Column("id", RowId, nullable=False),
        sa.Column("attempt_id", RowId, nullable=False),
        sa.Column("job_id", RowId, nullable=True),
        sa.Column("origin", sa.String(length=300), nullable=False),
        sa.Column("path", sa.String(length=500), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("blob", sa.String(length=64), nullable=False),
        sa.Column("cut", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempts.id"], name=op.f("fk_source_files_attempt_id")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_source_files_job_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source_files")),
        sa.UniqueConstraint(
            "attempt_id",
            "job_id",
            "origin",
            "path",
            name=op.f("uq_source_files_attempt_id_job_id_origin_path"),
        ),
    )
    op.create_table(
        "evidence",
        sa.Column("id", RowId, nullable=False),
        sa.Column("failure_id", RowId, nullable=False),
        sa.Column("digest", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("strength", sa.String(length=20), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("runs", Json, nullable=False),
        sa.Column("found_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["failure_id"], ["failures.id"], name=op.f("fk_evidence_failure_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evidence")),
        sa.UniqueConstraint("failure_id", "digest", name=op.f("uq_evidence_failure_id_digest")),
    )
    op.create_table(
        "verdicts",
        sa.Column("id", RowId, nullable=False),
        sa.Column("failure_id", RowId, nullable=False),
        sa.Column("number", RowId, nullable=False),
        sa.Column("kind", sa.String(length=30), nullable=False),
        sa.Column("strength", sa.String(length=20), nullable=False),
        sa.Column("whose", sa.String(length=20), nullable=False),
        sa.Column("cause", sa.String(length=40), nullable=True),
        sa.Column("opaque", sa.Boolean(), nullable=False),
        sa.Column("evidence", Json, nullable=False),
        sa.Column("gaps", Json, nullable=False),
        sa.Column("facts", Json, nullable=False),
        sa.Column("digest", sa.String(length=32), nullable=False),
        sa.Column("policy_version", sa.String(length=20), nullable=False),
        sa.Column("judged_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["failure_id"], ["failures.id"], name=op.f("fk_verdicts_failure_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verdicts")),
        sa.UniqueConstraint("failure_id", "number", name=op.f("uq_verdicts_failure_id_number")),
    )
    op.create_index("ix_verdicts_judged_at", "verdicts", ["judged_at"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_verdicts_judged_at", table_name="verdicts")
    op.drop_table("verdicts")
    op.drop_table("evidence")
    op.drop_table("source_files")
    op.drop_index(op.f("ix_run_vectors_day"), table_name="run_vectors")
    op.drop_table("run_vectors")
    op.drop_index("ix_failures_test", table_name="failures")
    op.drop_index("ix_failures_repo", table_name="failures")
    op.drop_index("ix_failures_group", table_name="failures")
    op.drop_index("ix_failures_attempt", table_name="failures")
    op.drop_table("failures")
    op.drop_table("artifacts")
    op.drop_index("ix_jobs_variant", table_name="jobs")
    op.drop_index("ix_jobs_tested_tree", table_name="jobs")
    op.drop_table("jobs")
    op.drop_index("ix_gaps_noted_at", table_name="gaps")
    op.drop_table("gaps")
    op.drop_index(op.f("ix_groups_test_id"), table_name="groups")
    op.drop_index("ix_groups_last_seen", table_name="groups")
    op.drop_table("groups")
    op.drop_table("attempts")
    op.drop_table("variants")
    op.drop_index("ix_tests_base", table_name="tests")
    op.drop_table("tests")
    op.drop_index(op.f("ix_runs_pull"), table_name="runs")
    op.drop_index("ix_runs_head", table_name="runs")
    op.drop_index("ix_runs_branch", table_name="runs")
    op.drop_table("runs")
    op.drop_index(op.f("ix_pulls_head_sha"), table_name="pulls")
    op.drop_table("pulls")
    op.drop_table("pull_comments")
    op.drop_table("commits")
    op.drop_table("commit_relations")
    op.drop_table("changes")
    op.drop_index(
        "uq_alerts_open",
        table_name="alerts",
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    )
    op.drop_table("alerts")
    op.drop_index("ix_tasks_state", table_name="tasks")
    op.drop_table("tasks")
    op.drop_index(op.f("ix_repos_github_id"), table_name="repos")
    op.drop_table("repos")
    op.drop_index(
        "ix_outbox_waiting",
        table_name="outbox",
        sqlite_where=sa.text("relayed_at IS NULL"),
        postgresql_where=sa.text("relayed_at IS NULL"),
    )
    op.drop_table("outbox")
    op.drop_index("ix_daily_counts_test", table_name="daily_counts")
    op.drop_table("daily_counts")
    op.drop_table("blobs")
