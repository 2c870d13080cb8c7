"""Who is told again when the same failure happens once more: GitHub takes few writes, and people fewer."""

from pipeline import Pipeline
from scene import BASE, FAILING, PASSING, REPO, Ran, Scene

from app.standin.writes import What

RED = Ran("linux", (PASSING, FAILING))
OTHERS = range(20, 26)


def test_one_more_recurrence_edits_no_comment_of_other_pull_requests(
    pipeline: Pipeline, scene: Scene
) -> None:
    at = pipeline.clock.now()
    edits: list[int] = []
    for pull in OTHERS:
        head = f"{pull:040x}"
        tree = f"{1000 + pull:040x}"
        scene.state.add_commit(REPO, head, tree, (BASE,), f"Change {pull}", f"author-{pull}", at=at)
        scene.state.add_pull(REPO, pull, f"topic{pull}", head, "main", f"Change {pull}", "bob", at=at)
        run = scene.run(100 * pull, RED, head=head, branch=f"topic{pull}", pulls=(pull,))
        pipeline.deliver(run).drain()
        assert len(pipeline.comments(REPO, pull)) == 1
        edits.append(sum(one.what is What.COMMENT_EDITED for one in pipeline.stand_in.writes))
    assert edits[-1] == edits[2], "the first comments are edited when their verdicts change, and then no more"
