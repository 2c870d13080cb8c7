"""Makes a folder of trials a bundle: report, sources, picture, page, and the digest of every file."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path

from app.logs import redact
from worker.replay.bundle import layout, manifest
from worker.replay.bundle.named import named_in
from worker.replay.bundle.page import Shown, page
from worker.replay.bundle.picture import picture
from worker.replay.bundle.scene import Scene, scene_of
from worker.replay.bundle.sources import sources_of
from worker.replay.facts import Frame, TrialFacts
from worker.replay.plain_json import to_plain
from worker.replay.report import Replay
from worker.replay.suspect import Suspect
from worker.replay.trial import Trial
from worker.replay.trial_folder import read_facts

TAIL_CHARS = 4000


def write_bundle(replay: Replay, suspect: Suspect, out: Path, about: Mapping[str, str]) -> Replay:
    """Seal the folder that the engine left under `out`, and return the replay with its bundle named.

    `about` names versions and the machine. What a test left that is neither file nor folder (links, pipes) is
    removed first, since nobody should follow it, and said in the clean-up record.
    """
    removed = _remove_irregular(out)
    failed = layout.evidence(replay.trials, replay.explanation.cause)
    facts = read_facts(failed.folder) if failed else None
    _write_sources(suspect, out, facts)
    _write_json(out / layout.SUSPECT, to_plain(suspect))
    _write_json(out / layout.ABOUT, dict(about))
    _write_json(out / layout.CLEANUP, _cleanup(replay, removed))
    _write_json(out / layout.REPORT, report_json(replay))
    lines = replay.explanation.timeline
    (out / layout.TIMELINE).write_text("".join(f"{redact(line)}\n" for line in lines), encoding="utf-8")
    shown = shown_of(failed)
    if shown is not None:
        title = f"Timelines of the ranks in trial {shown.trial.spec.number} of {replay.test}"
        drawn = picture(shown.scene, title=title, is_alone=True)
        (out / layout.PICTURE).write_text(drawn + "\n", encoding="utf-8")
        _write_traces(out / layout.TRACES, shown.scene)
    html = page(replay, shown, shown_of(layout.control(replay.trials)), about)
    (out / layout.PAGE).write_text(html, encoding="utf-8")
    manifest.seal(out, test=replay.test, made_by=f"flake-triage {about.get('flake-triage', '')}".strip())
    return replace(replay, bundle=out)


def report_json(replay: Replay) -> dict[str, object]:
    """As on the command line; where the bundle is depends on who looks, and stays out."""
    return {**replay.as_json(), "bundle": None}


def shown_of(trial: Trial | None) -> Shown | None:
    if trial is None:
        return None
    facts = read_facts(trial.folder)
    scene = scene_of(facts, trial.explanation)
    return Shown(trial, scene, facts.stderr_tail[-TAIL_CHARS:], named_in(trial))


def _write_traces(folder: Path, scene: Scene) -> None:
    """What the picture shows of each process, as JSON lines in order of time, in seconds of the trial."""
    folder.mkdir(exist_ok=True)
    for lane in scene.lanes:
        name = f"pid-{lane.pid}" if lane.rank is None else f"rank-{lane.rank}-pid-{lane.pid}"
        told = [(bar.begins, {"collective": to_plain(bar)}) for bar in lane.bars]
        told += [(mark.at, {mark.kind.value: mark.words}) for mark in lane.marks]
        lines = [json.dumps({"at": at, **what}) for at, what in sorted(told, key=lambda one: one[0])]
        (folder / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _write_sources(suspect: Suspect, out: Path, facts: TrialFacts | None) -> None:
    for path, content in sources_of(suspect.project, suspect.test, named=_named(facts)).items():
        if not manifest.is_inside(path):
            continue
        file = out / layout.SOURCE / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def _named(facts: TrialFacts | None) -> Iterable[str]:
    """Files of the project that a frame of the trial names."""
    if facts is None:
        return []
    stacks = [*(one.frames for one in facts.raised), *(one.frames for one in facts.stacks)]
    sites = [one.site for one in facts.collectives if one.site is not None]
    frames: list[Frame] = [*(frame for stack in stacks for frame in stack), *sites]
    return sorted({frame.file for frame in frames if frame.in_project})


def _cleanup(replay: Replay, removed: list[str]) -> dict[str, object]:
    trials = [
        {"trial": one.spec.number, "clean": one.cleanup.is_clean, **asdict(one.cleanup)}
        for one in replay.trials
    ]
    return {"clean": all(one.cleanup.is_clean for one in replay.trials), "removed": removed, "trials": trials}


def _remove_irregular(out: Path) -> list[str]:
    removed = sorted(manifest.irregular(out))
    for path in removed:
        (out / path).unlink()
    oversized = [
        one for one in out.rglob("*") if one.is_file() and one.stat().st_size > manifest.MOST_FILE_BYTES
    ]
    for file in oversized:
        removed.append(file.relative_to(out).as_posix())
        file.unlink()
    return removed


def _write_json(path: Path, plain: object) -> None:
    path.write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")
