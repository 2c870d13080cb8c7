"""What an App asks about itself, where it is installed, and for tokens."""

from collections.abc import Callable

from app.standin.apps import SUSPENDED, AppRecord, InstallationRecord
from app.standin.exchange import NOT_FOUND, Answer, Asked, Refusal
from app.standin.shapes import apps as shapes


def own_app(asked: Asked) -> Answer:
    return Answer(200, shapes.app(asked.at, _app(asked), owner="acme"))


def installation_of_repository(asked: Asked) -> Answer:
    app = _app(asked)
    found = app.of_repository(asked.repository.name)
    if found is None:
        raise Refusal(NOT_FOUND, "Not Found")
    return Answer(200, shapes.installation(asked.at, app, found))


def make_token(asked: Asked) -> Answer:
    app = _app(asked)
    of = _installation(app, asked.number("installation_id"))
    if of.suspended_at is not None:
        raise Refusal(403, SUSPENDED)
    given = asked.body.get("permissions")
    wanted = {str(name): str(level) for name, level in given.items()} if isinstance(given, dict) else None
    if wanted is not None and not of.grants(wanted):
        raise Refusal(422, "The permissions requested are not granted to this installation.")
    value = app.mint(of, wanted, now=asked.state.now())
    return Answer(201, shapes.token(value, app.tokens[value]))


def _app(asked: Asked) -> AppRecord:
    if asked.state.app is None or not asked.caller.is_app:
        raise Refusal(401, "A JSON web token could not be decoded")
    return asked.state.app


def _installation(app: AppRecord, number: int) -> InstallationRecord:
    try:
        return app.installations[number]
    except KeyError:
        raise Refusal(NOT_FOUND, "Not Found") from None


ROUTES: dict[tuple[str, str], Callable[[Asked], Answer]] = {
    ("GET", "/app"): own_app,
    ("GET", "/repos/{owner}/{repo}/installation"): installation_of_repository,
    ("POST", "/app/installations/{installation_id}/access_tokens"): make_token,
}
