"""Routes for the tables of new studies: what is in the data folder, uploads, a preview with proposals, and goals read as they are typed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query, Request

from fewlabels.engines.excel import SheetOfFile, is_excel, sheets_of
from fewlabels.errors import FewlabelsError, PopulationError, UnclearGoal
from fewlabels.nouns.classifier import Classifier
from fewlabels.nouns.goal_said import said
from fewlabels.service import browse, uploads
from fewlabels.service.access import Visitor, owner_only
from fewlabels.service.requests import GoalsBody, PreviewBody
from fewlabels.service.responses import (
    REFUSALS,
    Data,
    Done,
    FileShown,
    FilesShown,
    GoalRead,
    GoalsRead,
    PreviewShown,
    UploadKept,
    UploadShown,
    UploadsShown,
)
from fewlabels.service.settings import Settings
from fewlabels.service.sources import allowed_source
from fewlabels.service.state import ServerState, bench_of
from fewlabels.service.wording import for_browser
from fewlabels.study.population.fields import at, read_each
from fewlabels.study.population.first_sight import named_after
from fewlabels.study.population.preview import preview
from fewlabels.study.population.read import read_population

router = APIRouter(prefix="/api", tags=["tables"], responses=REFUSALS)
Owner = Annotated[Visitor, Depends(owner_only)]
FileName = Annotated[str, Query(min_length=1, max_length=255, pattern=r"^[^\x00-\x1f\x7f]+$")]
FolderName = Annotated[str, Query(max_length=1024, pattern=r"^[^\x00]*$")]
BINARY: Data = {
    "requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
}


@router.get("/files", operation_id="listFiles")
def list_files(request: Request, owner: Owner, folder: FolderName = "") -> FilesShown:
    """List the folders and tables in a folder below the server's data folder, and the other sources that are allowed."""
    settings = bench_of(request).settings
    found = browse.list_folder(folder, settings)
    files = [FileShown.model_validate(one._asdict()) for one in found.files]
    allowed = browse.allowed_prefixes(settings)
    return FilesShown(folder=found.folder, folders=list(found.folders), files=files, more=found.more, allowed=allowed)


@router.post("/uploads", operation_id="uploadTable", status_code=201, openapi_extra=BINARY)
async def upload_table(request: Request, owner: Owner, name: FileName) -> UploadKept:
    """Upload a table (CSV, Parquet or Excel) into the server's data folder. It is kept only if it can be read as a table."""
    bench = bench_of(request)
    if not bench.settings.upload_bytes:
        raise HTTPException(409, "this server takes no uploads: put the table into its data folder, or ask who runs it")
    wanted = uploads.cleaned(name)
    path = await uploads.arrive(request.stream(), bench.settings, name=wanted)
    kept = await bench.compute(lambda: uploads.keep(path, bench.settings, name=wanted))
    return UploadKept(name=kept.name, source=f"{uploads.FOLDER}/{kept.name}", changed=kept.changed)


@router.get("/uploads", operation_id="listUploads")
def list_uploads(request: Request, owner: Owner) -> UploadsShown:
    """List the uploaded tables, with the studies that read them, and how long those are kept that none reads."""
    bench = bench_of(request)
    return UploadsShown(
        uploads=list(_shown(bench)), most_bytes=bench.settings.upload_bytes, days=bench.settings.upload_days
    )  # fmt: skip


@router.delete("/uploads/{name}", operation_id="deleteUpload")
def delete_upload(request: Request, owner: Owner, name: str, although_read: bool = False) -> Done:
    """Delete an uploaded table. While studies read it, only with although_read=true."""
    bench = bench_of(request)
    if not uploads.delete(bench.settings, bench.ledger, name, although_read=although_read):
        raise HTTPException(404, "there is no such upload: it may have been deleted already")
    return Done(done=True)


@router.post("/preview", operation_id="previewTable")
async def preview_table(request: Request, owner: Owner, wanted: PreviewBody) -> PreviewShown:
    """Return the first rows of a table, what each of its columns holds, and what it may serve as in a study, with the reason."""
    bench = bench_of(request)

    def seen() -> PreviewShown:
        with at("source"):
            found = allowed_source(wanted.source, bench.settings)
            sheets, source, table = _table(found, wanted, bench.settings)
            shown = preview(table)
        name = named_after(wanted.source, bench.ledger.studies())
        sheet = (wanted.sheet or sheets[0]) if sheets else None
        data = {field: getattr(shown, field) for field in PreviewShown.model_fields if hasattr(shown, field)}
        plain = {field: [one._asdict() for one in data[field]] for field in data if field not in ("read", "rows")}
        return PreviewShown.model_validate(
            {**data, **plain, "source": source, "name": name, "sheets": sheets, "sheet": sheet, "units": shown.N}
        )

    return await bench.compute(seen)


@router.post("/goals", operation_id="readGoals")
def read_goals(owner: Owner, typed: GoalsBody) -> GoalsRead:
    """Return how each goal is understood, in words; or why it cannot be, with the nearest name."""
    with at("classifiers"):
        judged = [Classifier(name, predicted=f"decision of {name}") for name in typed.classifiers or ["classifier"]]
        population = read_population("", id="", classifiers=judged, slices=typed.slices, weight=typed.weight)

    def read(text: str) -> GoalRead:
        try:
            goal = read_each([text], population, level=typed.level)[0]
        except FewlabelsError as error:
            return GoalRead(text=text, error=for_browser(str(error)), ways=list(error.ways) if isinstance(error, UnclearGoal) else [])
        return GoalRead(text=text, goal=str(goal), words=said(goal, typed.about))

    return GoalsRead(goals=[read(text) for text in typed.goals])


def _shown(bench: ServerState) -> Iterator[UploadShown]:
    for one in uploads.uploads(bench.settings, bench.ledger):
        kind = browse.kind_of(one.name)
        if kind is not None:
            source = f"{uploads.FOLDER}/{one.name}"
            yield UploadShown.model_validate({**one._asdict(), "source": source, "kind": kind})


def _table(found: str, wanted: PreviewBody, settings: Settings) -> tuple[list[str], str, str]:
    """Return the sheets of an Excel file, the source that a study is made of, and where it is read."""
    path = Path(found)
    if not is_excel(found) or not path.is_file():
        if wanted.sheet is not None:
            raise PopulationError(f"only Excel files have sheets, but {wanted.source!r} is none: leave the sheet out")
        return [], wanted.source, found
    table = uploads.sheet_as_table(SheetOfFile(path, wanted.sheet), settings)
    return list(sheets_of(path)), table.relative_to(settings.data.resolve()).as_posix(), str(table)
