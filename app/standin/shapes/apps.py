"""An App, its installations and their tokens as GitHub serves them."""

from app.standin.apps import AppRecord, InstallationRecord, TokenRecord
from app.standin.shapes.accounts import Addresses, Json, instant, node_id, user


def app(at: Addresses, record: AppRecord, *, owner: str) -> Json:
    return {
        "id": record.id,
        "slug": record.slug,
        "client_id": record.client_id,
        "node_id": node_id("A", record.id),
        "owner": user(at, owner, kind="Organization"),
        "name": record.slug,
        "description": None,
        "external_url": at.html,
        "html_url": f"{at.html}/apps/{record.slug}",
        "created_at": instant(record.at),
        "updated_at": instant(record.at),
        "permissions": {"metadata": "read"},
        "events": ["workflow_run"],
        "installations_count": len(record.installations),
    }


def installation(at: Addresses, of: AppRecord, record: InstallationRecord) -> Json:
    account = user(at, record.account, kind="Organization")
    is_suspended = record.suspended_at is not None
    return {
        "id": record.id,
        "account": account,
        "repository_selection": "all" if record.repositories is None else "selected",
        "access_tokens_url": f"{at.api}/app/installations/{record.id}/access_tokens",
        "repositories_url": f"{at.api}/installation/repositories",
        "html_url": f"{at.html}/organizations/{record.account}/settings/installations/{record.id}",
        "app_id": of.id,
        "client_id": of.client_id,
        "app_slug": of.slug,
        "target_id": account["id"],
        "target_type": "Organization",
        "permissions": dict(record.permissions),
        "events": list(record.events),
        "created_at": instant(record.at),
        "updated_at": instant(record.at),
        "single_file_name": None,
        "suspended_by": user(at, record.account) if is_suspended else None,
        "suspended_at": instant(record.suspended_at),
    }


def token(value: str, record: TokenRecord) -> Json:
    return {
        "token": value,
        "expires_at": instant(record.expires_at),
        "permissions": dict(record.permissions),
        "repository_selection": "all" if record.installation.repositories is None else "selected",
    }
