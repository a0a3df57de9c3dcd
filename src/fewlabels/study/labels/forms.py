"""Record what labelers are asked and shown, wherever they see it."""

from dataclasses import replace

from fewlabels.ledgers.base import Entry, Ledger, Reading, Writing
from fewlabels.nouns.sheet import FormColumn, FormSet, Place, Sheet, sheet_at


def record_form(ledger: Ledger, study: str, sheet: Sheet, *, place: Place, by: str | None = None) -> None:
    """Record a form, unless it is the one in force at its place."""
    with ledger.writing(study) as act:
        if sheet != form_at(act, ledger, study, place=place):
            append_form(act, sheet, place=place, by=by)


def form_at(source: Reading, ledger: Ledger, study: str, *, place: Place) -> Sheet:
    """The form in force at a place, as it is in an open transaction; an empty one if none was set."""
    return sheet_at(_forms(source.notable("sheet")), place) or (ledger.sheet(study) if place == "workbench" else Sheet())


def append_form(act: Writing, sheet: Sheet, *, place: Place, by: str | None) -> None:
    """Record a form in an open act."""
    act.append("sheet", key=f"sheet:{len(act.notable('sheet')) + 1}", body={**sheet.as_json(), "place": place, "by": by})


def record_shown(ledger: Ledger, study: str, show: tuple[FormColumn, ...], *, place: Place) -> None:
    """Record the columns shown at a place that fewlabels gives columns and no words."""
    forms = _forms(ledger.notable(study, "sheet"))
    last = forms[-1].sheet if forms else Sheet()
    record_form(ledger, study, replace(last, show=show), place=place)


def _forms(entries: list[Entry]) -> list[FormSet]:
    return [FormSet.of_json(entry.body, answers=0) for entry in entries]
