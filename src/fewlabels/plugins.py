"""Plugins: the entry points of installed packages, read when a name is requested that fewlabels does not have."""

from collections.abc import Sequence

from fewlabels.registry import Outside


def installed(group: str) -> Sequence[Outside]:
    """The records that packages offer under an entry point such as fewlabels.intervals, by name; nothing is imported yet."""
    from importlib.metadata import entry_points  # slow to import, and mostly not needed

    found = [
        Outside(point.name, f"{point.dist.name} {point.dist.version}" if point.dist else "an unnamed package", point.load)
        for point in entry_points(group=group)
    ]
    return sorted(found, key=lambda offer: (offer.name, offer.package))
