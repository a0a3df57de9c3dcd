"""What assay raises when it refuses: one tree, each message stating the rule, the values and the way out.

    AssayError
    ├── PopulationError    the table cannot be judged as it is (missing column, duplicate ids, bad scores)
    │   └── FingerprintError   the table is not the one the study was made on
    ├── EngineError        the engine is missing, cannot be reached, or computes other numbers than assay's reference
    ├── GoalError          a goal cannot be read, or names what does not exist
    ├── PlanError          the plan cannot be made or would break what an earlier one promised
    ├── DrawError          a unit was asked for or answered that was never drawn
    ├── LabelError         an answer cannot be recorded
    ├── StudyError         no such study, or one of that name exists
    └── LedgerError        the record is missing, of another version, or was changed
        └── LedgerUnreachable   its database does not answer now: do it again, which is safe

Each class below repeats its line.
"""


class AssayError(Exception):
    """Every refusal of assay; the command line prints it without a traceback."""


class PopulationError(AssayError):
    """The table cannot be judged as it is."""


class FingerprintError(PopulationError):
    """The table is not the one the study was made on."""


class EngineError(AssayError):
    """The engine is missing, cannot be reached, or computes other numbers than assay's reference."""


class GoalError(AssayError):
    """A goal cannot be read, or names a metric or classifier that does not exist."""


class PlanError(AssayError):
    """The plan cannot be made, or would break what an earlier plan promised."""


class DrawError(AssayError):
    """A unit was asked for or answered that was never drawn."""


class LabelError(AssayError):
    """An answer cannot be recorded."""


class StudyError(AssayError):
    """No such study, or one of that name exists already."""


class LedgerError(AssayError):
    """The record is missing, of another version, or was changed."""


class LedgerUnreachable(LedgerError):
    """The database of the record does not answer now. Whether an act was kept is unknown: do it again, which is safe."""
