"""What assay raises when it refuses: one tree, each message stating the rule, the values and the way out.

    AssayError
    ├── PopulationError    the table cannot be judged as it is (missing column, duplicate ids, bad scores)
    │   └── FingerprintError   the table is not the one the study was made on
    ├── EngineError        the engine is missing, cannot be reached, or computes other numbers than assay's reference
    ├── GoalError          a goal cannot be read, or names what does not exist
    ├── PolicyError        a policy of the gate cannot be read, or contradicts itself
    ├── PlanError          the plan cannot be made or would break what an earlier one promised
    ├── DrawError          a unit was asked for or answered that was never drawn
    ├── LabelError         an answer cannot be recorded
    ├── FileError          a file cannot be written
    ├── StudyError         no such study, or one of that name exists
    ├── ConfigurationError assay.toml cannot be read, or says what no command understands
    └── LedgerError        the record is missing, of another version, or was changed
        └── LedgerUnreachable   its database does not answer now: do it again, which is safe

Each class below repeats its line.
"""


class AssayError(Exception):
    """Every refusal of assay; the command line prints it without a traceback.

    Examples:
        >>> import assay
        >>> try:
        ...     assay.Classifier("gbm", score="score")
        ... except assay.AssayError as refused:
        ...     print(type(refused).__name__)
        PopulationError
    """


class PopulationError(AssayError):
    """The table cannot be judged as it is."""


class FingerprintError(PopulationError):
    """The table is not the one the study was made on."""


class EngineError(AssayError):
    """The engine is missing, cannot be reached, or computes other numbers than assay's reference."""


class GoalError(AssayError):
    """A goal cannot be read, or names a metric or classifier that does not exist."""


class PolicyError(AssayError):
    """A policy of the gate cannot be read, or contradicts itself."""


class PlanError(AssayError):
    """The plan cannot be made, or would break what an earlier plan promised."""


class DrawError(AssayError):
    """A unit was asked for or answered that was never drawn."""


class LabelError(AssayError):
    """An answer cannot be recorded."""


class FileError(AssayError):
    """A file cannot be written."""


class StudyError(AssayError):
    """No such study, or one of that name exists already."""


class ConfigurationError(AssayError):
    """assay.toml cannot be read, or says what no command understands."""


class LedgerError(AssayError):
    """The record is missing, of another version, or was changed."""


class LedgerUnreachable(LedgerError):
    """The database of the record does not answer now. Whether an act was kept is unknown: do it again, which is safe."""
