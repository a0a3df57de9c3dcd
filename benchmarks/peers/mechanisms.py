"""Why a peer is better where it is: by package, method and metric. A cell without an entry says that the reason is not known."""

_WHOLE = (
    "labels whole the strata whose scores leave a doubt, and few of the surest: of fraud_sample's 532 flagged units it leaves out 32, "
    "all of the 67 with the highest scores, one of which is an error; of mnist8's it labels 24 of each 375 scored above 0.9996, "
    "fewlabels 86. With honest scores that is the better draw; with few labels where errors are rare, its interval is too short"
)
_DOUBT = (
    "has 78 of 200 labels where the score lies between 0.001 and 0.3, which hold 265 of the 285 missed frauds, fewlabels 40: half of "
    "fewlabels' labels do not follow the scores. The interval pays for it"
)
_ALL_IN = (
    "draws where scores and earlier answers put the variance, again and again, and spends next to nothing elsewhere: the best draw where "
    "scores are as good as here, up to nine times worse where they are not (mnist8 nb), and no interval that would tell"
)
MECHANISMS: dict[tuple[str, str, str], str] = {
    **{(package, "score strata", "precision"): _WHOLE for package in ("svy", "samplics")},
    **{(package, "score strata", "recall"): _DOUBT for package in ("svy", "samplics")},
    ("ssepy", "means", "precision"): _WHOLE,
    ("oasis", "adaptive, recall", "recall"): _ALL_IN,
    ("oasis", "adaptive, f1", "f1"): _ALL_IN,
}
UNKNOWN = "not known"


def mechanism(package: str, method: str, metric: str) -> str:
    """Why."""
    return MECHANISMS.get((package, method, metric), UNKNOWN)
