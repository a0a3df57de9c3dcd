"""Why a peer is better where it is: by package, method and metric. A cell without an entry says that the reason is not known."""

_SUREST = (
    "Ten strata of scores with Neyman's takes label whole the strata whose scores leave a doubt, and few of the surest. Of "
    "fraud_sample's 532 flagged units they leave out 32 of the 67 with the highest scores, where one is an error; fewlabels leaves "
    "out 11 of its 32 below. Of mnist8's they label 24 of each 375 scored above 0.9996, fewlabels 86. With honest scores that is the "
    "better draw; but an interval from few labels where errors are rare is too short."
)
_CENSUS = (
    "Near a census: of 532 flagged units it leaves out 32 of the 121 scored above 0.89, where 4 are errors; fewlabels leaves out a "
    "third of its 32 at lower scores."
)
_DOUBT = (
    "The strata have 78 of 200 labels where the score lies between 0.001 and 0.3, which hold 265 of the 285 missed frauds; fewlabels "
    "has 40: half of its labels do not follow the scores. The interval of the strata pays for it."
)
_ALL_IN = (
    "It draws where scores and earlier answers put the variance, again and again, and spends next to nothing elsewhere: the best draw "
    "where scores are as good as here, up to nine times worse where they are not (mnist8 nb), and no interval that would tell."
)
MECHANISMS: dict[tuple[str, str, str], str] = {
    **{(package, "score strata", "precision"): _SUREST for package in ("svy", "samplics")},
    **{(package, "score strata", "recall"): _DOUBT for package in ("svy", "samplics")},
    ("ssepy", "means", "precision"): _CENSUS,
    ("oasis", "adaptive, recall", "recall"): _ALL_IN,
    ("oasis", "adaptive, f1", "f1"): _ALL_IN,
}
UNKNOWN = "not known"


def mechanism(package: str, method: str, metric: str) -> str:
    """Why."""
    return MECHANISMS.get((package, method, metric), UNKNOWN)
