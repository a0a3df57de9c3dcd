"""Why a peer is better where it is: by package, method and metric. A cell without an entry says that the reason is not known."""

MECHANISMS: dict[tuple[str, str, str], str] = {}
UNKNOWN = "not known"


def mechanism(package: str, method: str, metric: str) -> str:
    """Why."""
    return MECHANISMS.get((package, method, metric), UNKNOWN)
