"""The pipeline in the order of its flow: each stage's name, its queue and its handler."""

from worker.deps import FIRST_STAGE, Pipeline, Stage
from worker.housekeeping.orders import STAGE as REMOVE_OLD
from worker.stages.fetch_artifacts import fetch_artifacts
from worker.stages.group_failures import group_failures
from worker.stages.judge_failures import judge_failures
from worker.stages.lint_sources import lint_sources
from worker.stages.publish_alert import publish_alert
from worker.stages.publish_comment import publish_comment
from worker.stages.read_results import read_results
from worker.stages.record_run import record_run
from worker.stages.remove_old import remove_old

PIPELINE: Pipeline = {
    stage.name: stage
    for stage in (
        Stage(FIRST_STAGE, "fetch", record_run),
        Stage("fetch_artifacts", "fetch", fetch_artifacts),
        Stage("read_results", "fetch", read_results),
        Stage("group_failures", "fetch", group_failures),
        Stage("lint_sources", "fetch", lint_sources),
        Stage("judge_failures", "judge", judge_failures),
        Stage("publish_comment", "report", publish_comment),
        Stage("publish_alert", "report", publish_alert),
        Stage(REMOVE_OLD, "report", remove_old),
    )
}
