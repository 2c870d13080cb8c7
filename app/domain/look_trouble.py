"""Why a repository's list of runs could not be looked at, by what somebody has to do about it."""

from enum import StrEnum


class LookTrouble(StrEnum):
    GONE = "gone"  # 404
    REFUSED = "refused"  # 403, or an answer that is not understood
    CREDENTIALS = "credentials"  # 401, or an App that is not installed there, or suspended
    LIMITED = "limited"  # too little of GitHub's hourly budget is left
    AWAY = "away"  # GitHub does not answer

    @property
    def needs_somebody(self) -> bool:
        """Whether it stays until somebody mends it; the others pass by themselves."""
        return self in {LookTrouble.GONE, LookTrouble.REFUSED, LookTrouble.CREDENTIALS}


_LEADS = {
    LookTrouble.GONE: "GitHub shows no such repository: deleted, misspelt, or not shown to us",
    LookTrouble.REFUSED: "its runs may not be read",
    LookTrouble.CREDENTIALS: "GitHub refuses us until somebody mends the token, or the App's installation",
    LookTrouble.LIMITED: "waits for GitHub's limits",
    LookTrouble.AWAY: "GitHub does not answer; it is asked again",
}


def trouble_told(trouble: LookTrouble, reason: str) -> str:
    """In words, with what GitHub said."""
    return f"{_LEADS[trouble]} ({reason})" if reason else _LEADS[trouble]


def renamed_told(renamed_to: str) -> str:
    return f"is called {renamed_to} today; name it so in the settings, or its webhooks are left alone"
