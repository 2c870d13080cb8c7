"""`port-in-use`: bind failed with EADDRINUSE.

Borders. The earliest own exception that got out says so, by its errno or in the words of torch's server
socket, in whichever process. A bind that was tried again and then worked is handled, and no cause. Ranks
that hang in connecting to the foreign listener are consequences, also where the test ends them.
"""

from app.domain.replay_words import CauseKind
from worker.replay.explain.answers import Answer
from worker.replay.explain.causes.rank_exception import earliest
from worker.replay.explain.exceptions import Known
from worker.replay.explain.scene import Scene


def find(scene: Scene) -> Answer | None:
    raised = _refused(scene)
    if raised is None:
        return None
    init = next((one for one in scene.facts.inits if one.pid == raised.pid and one.error is not None), None)
    what = "init_process_group could not bind its port" if init else "a port was already taken"
    return Answer(
        CauseKind.PORT_IN_USE,
        (f"{what}: {scene.ranks.name(raised.pid)} raised {raised.words()}",),
        pid=raised.pid,
        known=raised,
        facts={"address": init.address if init else None},
    )


def _refused(scene: Scene) -> Known | None:
    raised = earliest(scene)
    if raised is not None:
        return raised if raised.is_port_in_use else None
    own = scene.own_exceptions(scene.facts.main)
    return next((one for one in own if one.is_port_in_use and one.got_out), None)
