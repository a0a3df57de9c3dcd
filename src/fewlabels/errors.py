"""The exceptions of fewlabels: one tree; each message states the rule, the values and the way out.

    FewlabelsError
    ├── PopulationError    the table cannot be used as it is (missing column, duplicate ids, bad scores)
    │   └── FingerprintError   the table is not the one the study was made on
    ├── EngineError        the engine is missing, cannot be reached, or computes other numbers than fewlabels' reference
    ├── GoalError          a goal cannot be read, or names a metric or classifier that does not exist
    │   └── UnclearGoal        a goal has a number, but does not say whether it is a target or a half-width
    ├── PolicyError        a policy of the gate cannot be read, or contradicts itself
    ├── PlanError          the plan cannot be made, or would break what an earlier plan promised
    ├── DrawError          a unit was requested or answered that was never drawn
    ├── LabelError         an answer cannot be recorded
    ├── FileError          a file cannot be written
    ├── StudyError         no such study, or a study with that name already exists
    ├── ConfigurationError fewlabels.toml cannot be read, or has a setting that no command knows
    └── LedgerError        the ledger is missing, of another version, or was altered
        └── LedgerUnreachable   the ledger's database does not answer at the moment: retry, which is safe

Each class below repeats its line.
"""

from collections.abc import Sequence


class FewlabelsError(Exception):
    """The base class of all errors that fewlabels raises; the command line prints them without a traceback.

    Examples:
        >>> import fewlabels
        >>> try:
        ...     fewlabels.Classifier("gbm", score="score")
        ... except fewlabels.FewlabelsError as refused:
        ...     print(type(refused).__name__)
        PopulationError
    """

    field: str | None = None  # what it is about of what was asked for, such as goals.0, where that is known


class PopulationError(FewlabelsError):
    """The table cannot be used as it is.

    Examples:
        >>> import fewlabels
        >>> try:
        ...     fewlabels.Classifier("gbm", score="score")
        ... except fewlabels.PopulationError as refused:
        ...     print(type(refused).__name__)
        PopulationError
    """


class FingerprintError(PopulationError):
    """The table is not the one the study was made on.

    Examples:
        >>> import fewlabels
        >>> issubclass(fewlabels.FingerprintError, fewlabels.PopulationError)
        True
    """


class EngineError(FewlabelsError):
    """The engine is missing, cannot be reached, or computes other numbers than fewlabels' reference.

    Examples:
        >>> import fewlabels
        >>> issubclass(fewlabels.EngineError, fewlabels.FewlabelsError)
        True
    """


class GoalError(FewlabelsError):
    """A goal cannot be read, or names a metric or classifier that does not exist.

    Examples:
        >>> import fewlabels
        >>> try:
        ...     fewlabels.Goal(metric="precision", kind="+-", value=2.0)
        ... except fewlabels.GoalError as refused:
        ...     print(type(refused).__name__)
        GoalError
    """


class UnclearGoal(GoalError):
    """A goal has a number, but does not say whether it is a target or a half-width. `ways` are the goals it may mean, as text.

    Examples:
        >>> from fewlabels.nouns.goal import parse_goal
        >>> try:
        ...     parse_goal("f1 0.8")
        ... except UnclearGoal as unclear:
        ...     print(unclear.ways)
        ('f1 >= 0.8', 'f1 +-0.8')
    """

    def __init__(self, text: str, ways: Sequence[str]) -> None:
        """`text` is what was typed."""
        said = " or ".join(f'"{way}"' for way in ways)
        super().__init__(f"a goal must say whether its number is a target or a half-width, got {text!r}: write {said}")
        self.text, self.ways = text, tuple(ways)


class PolicyError(FewlabelsError):
    """A policy of the gate cannot be read, or contradicts itself.

    Examples:
        >>> import fewlabels
        >>> try:
        ...     fewlabels.Policy(rules=())
        ... except fewlabels.PolicyError as refused:
        ...     print(type(refused).__name__)
        PolicyError
    """


class PlanError(FewlabelsError):
    """The plan cannot be made, or would break what an earlier plan promised.

    Examples:
        >>> import fewlabels
        >>> from fewlabels.demo.study import small_study
        >>> try:
        ...     small_study(labeled=False).plan(10)
        ... except fewlabels.PlanError as refused:
        ...     print(type(refused).__name__)
        PlanError
    """


class DrawError(FewlabelsError):
    """A unit was requested or answered that was never drawn.

    Examples:
        >>> import fewlabels
        >>> issubclass(fewlabels.DrawError, fewlabels.FewlabelsError)
        True
    """


class LabelError(FewlabelsError):
    """An answer cannot be recorded.

    Examples:
        >>> import fewlabels
        >>> from fewlabels.demo.study import small_study
        >>> try:
        ...     small_study(labeled=False).tell({"small-1": "maybe"})
        ... except fewlabels.LabelError as refused:
        ...     print(type(refused).__name__)
        LabelError
    """


class FileError(FewlabelsError):
    """A file cannot be written.

    Examples:
        >>> import fewlabels
        >>> issubclass(fewlabels.FileError, fewlabels.FewlabelsError)
        True
    """


class StudyError(FewlabelsError):
    """No such study, or a study with that name already exists.

    Examples:
        >>> import fewlabels
        >>> from fewlabels.demo.study import small_study
        >>> try:
        ...     fewlabels.Study.load("nobody", ledger=small_study().ledger)
        ... except fewlabels.StudyError as refused:
        ...     print(type(refused).__name__)
        StudyError
    """


class ConfigurationError(FewlabelsError):
    """fewlabels.toml cannot be read, or has a setting that no command knows.

    Examples:
        >>> import fewlabels
        >>> issubclass(fewlabels.ConfigurationError, fewlabels.FewlabelsError)
        True
    """


class LedgerError(FewlabelsError):
    """The ledger is missing, of another version, or was altered.

    Examples:
        >>> import fewlabels
        >>> try:
        ...     fewlabels.Study.load("nobody", ledger="sqlite:///nowhere.db")
        ... except fewlabels.LedgerError as refused:
        ...     print(type(refused).__name__)
        LedgerError
    """


class LedgerUnreachable(LedgerError):
    """The ledger's database does not answer at the moment. Whether a write was stored is unknown: retry, which is safe."""
