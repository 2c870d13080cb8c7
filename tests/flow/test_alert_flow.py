"""The alert of a branch: opened once, kept true, closed by green alone, and lost by nobody's switch."""

from pipeline import Pipeline
from scene import BASE, FAILING, ON_MAIN, PULL, REPO, Case, Ran, Scene, failing

from app.standin.faults import NO_PERMISSION, answer
from app.standin.talk import IssueRecord

RED = Ran("test (a)", (FAILING,))
GREEN = Ran("test (a)", (Case(FAILING.name),))


def on_main(
    scene: Scene, run: int, job: Ran, *, head: str = ON_MAIN, attempt: int = 1, conclusion: str | None = None
) -> int:
    return scene.run(run, job, branch="main", head=head, attempt=attempt, conclusion=conclusion)


def only_issue(pipeline: Pipeline) -> IssueRecord:
    (issue,) = pipeline.issues(REPO)
    return issue


def test_main_that_was_only_ever_green_has_no_alert(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(on_main(scene, 1, GREEN)).drain()
    assert pipeline.tries.count("publish_alert") == 1
    assert pipeline.issues(REPO) == []


def test_alert_names_since_when_what_and_the_commits_in_question(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(on_main(scene, 1, GREEN, head=BASE)).drain()
    pipeline.deliver(on_main(scene, 2, RED)).drain()
    issue = only_issue(pipeline)
    assert issue.title.startswith(f"main is red since {ON_MAIN[:7]}")
    assert FAILING.name in issue.body
    assert "run 2" in issue.body
    assert f"{REPO}/commit/{ON_MAIN}" in issue.body
    assert issue.labels == ("flake-triage",)


def test_red_that_lasts_is_one_alert_and_green_closes_it(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(on_main(scene, 1, RED, head=BASE)).drain()
    pipeline.deliver(on_main(scene, 2, RED)).drain()
    first = only_issue(pipeline)
    assert (first.state, first.title.split(":")[0]) == ("open", f"main is red since {BASE[:7]}")
    pipeline.deliver(on_main(scene, 3, GREEN)).drain()
    assert only_issue(pipeline).state == "closed"
    pipeline.publish_again(3)
    assert pipeline.stand_in.duplicate_effects == 0


def test_next_red_is_a_new_alert(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(on_main(scene, 1, RED, head=BASE)).drain()
    pipeline.deliver(on_main(scene, 2, GREEN, head=BASE)).drain()
    pipeline.deliver(on_main(scene, 3, RED)).drain()
    assert [issue.state for issue in pipeline.issues(REPO)] == ["open", "closed"]
    assert pipeline.stand_in.duplicate_effects == 0


def test_attempt_that_passes_closes_the_alert_and_a_cancelled_one_does_not(
    pipeline: Pipeline, scene: Scene
) -> None:
    pipeline.deliver(on_main(scene, 1, RED)).drain()
    gone = Ran("test (a)", conclusion="cancelled")
    on_main(scene, 1, gone, attempt=2, conclusion="cancelled")
    pipeline.deliver(1, attempt=2).drain()
    assert only_issue(pipeline).state == "open"
    on_main(scene, 1, GREEN, attempt=3)
    pipeline.deliver(1, attempt=3).drain()
    assert only_issue(pipeline).state == "closed"


def test_alert_closed_by_a_person_is_opened_again_by_the_next_red(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(on_main(scene, 1, RED, head=BASE)).drain()
    scene.state.close_issue(REPO, only_issue(pipeline).number, author="ann", at=scene.clock.now())
    pipeline.deliver(on_main(scene, 2, Ran("test (a)", (failing("test_more", expected=8),)))).drain()
    assert only_issue(pipeline).state == "open"
    assert "test_more" in only_issue(pipeline).body


def test_repository_without_issues_keeps_its_alert_on_the_dashboard(pipeline: Pipeline, scene: Scene) -> None:
    scene.state.repository(REPO).has_issues = False
    pipeline.deliver(on_main(scene, 1, RED)).drain()
    assert pipeline.dead() == []
    assert pipeline.issues(REPO) == []
    page = pipeline.page("/")
    assert FAILING.name in page
    assert ON_MAIN[:7] in page


def test_token_that_may_not_write_is_a_dead_letter_that_says_what_it_needs(
    pipeline: Pipeline, scene: Scene
) -> None:
    scene.state.faults.inject("*/issues", NO_PERMISSION, method="POST")
    pipeline.deliver(on_main(scene, 1, RED), scene.run(2, RED)).drain()
    (error,) = pipeline.dead()
    assert error is not None
    assert "issues=write" in error
    assert len(pipeline.comments(REPO, PULL)) == 1, "the pull request is told all the same"


def test_alert_whose_issue_was_deleted_gets_a_new_one_once(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(on_main(scene, 1, RED, head=BASE)).drain()
    scene.state.faults.inject("*/issues/*", answer(410, "This issue was deleted"), times=1)
    pipeline.deliver(on_main(scene, 2, Ran("test (a)", (failing("test_more", expected=8),)))).drain()
    assert pipeline.dead() == []
    newest, _deleted = pipeline.issues(REPO)
    assert (newest.state, "test_more" in newest.body) == ("open", True)
    pipeline.publish_again(2)
    assert len(pipeline.issues(REPO)) == 2
