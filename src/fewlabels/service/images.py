"""Images that labelers see: files below one folder, or images stored in the table itself. Their type is determined from their bytes."""

import base64
import binascii
from pathlib import Path as FilePath
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Path, Request
from fastapi.responses import Response

from fewlabels.service.access import Member, of_study
from fewlabels.service.requests import NO_NULL
from fewlabels.service.responses import REFUSALS, Data
from fewlabels.service.state import ServerState, bench_of

router = APIRouter(prefix="/api/studies/{study}", tags=["labeling"], responses=REFUSALS)
MOST_BYTES = 20_000_000
# Only types that no browser executes: no SVG, no HTML, whatever the name or the table says.
KINDS = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF87a", "image/gif"), (b"GIF89a", "image/gif"))
IMAGE: dict[int | str, Data] = {
    200: {"content": {kind: {} for kind in ("image/png", "image/jpeg", "image/gif", "image/webp")}, "description": "The image"}
}


@router.get("/images/{unit:path}/{column}", operation_id="readImage", response_class=Response, responses=IMAGE)
def read_image(
    request: Request,
    member: Annotated[Member, Depends(of_study("labeler", "adjudicator"))],
    *,
    unit: Annotated[str, Path(max_length=1024, pattern=NO_NULL)],
    column: Annotated[str, Path(max_length=256, pattern=NO_NULL)],
) -> Response:
    """Return the image of a drawn unit, if the labeling form shows its column as an image."""
    bench = bench_of(request)
    named = _named(bench, member.study, unit=unit, column=column)
    found = None if named is None else _inside(named) if named.startswith("data:") else _file(named, bench.settings.images)
    kind = None if found is None else image_kind(found)
    if found is None or kind is None:
        raise HTTPException(404, "there is no such image, or it is not a PNG, JPEG, GIF or WebP image")
    return Response(found, media_type=kind, headers={"Content-Disposition": "inline"})


def image_kind(data: bytes) -> str | None:
    """Return the type of an image by its first bytes; None for anything else."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in KINDS if data.startswith(start)), None)


def _named(bench: ServerState, study: str, *, unit: str, column: str) -> str | None:
    """Return what labelers see of a unit in that column; None if it was not handed out, or is not shown as an image."""
    if not any(one.column == column and one.kind == "image" for one in bench.desk(study).sheet.show):
        return None
    return bench.ledger.contents(study, [unit]).get(unit, {}).get(column)


def _inside(text: str) -> bytes | None:
    """Return the bytes of a data: address; the type it declares is not trusted."""
    head, comma, body = text.partition(",")
    if not comma or not head.endswith(";base64") or len(body) > MOST_BYTES * 4 // 3:
        return None
    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        return None


def _file(name: str, folder: FilePath | None) -> bytes | None:
    """Return the bytes of a file below the folder, after resolving links and dots; None if there is none, or it lies elsewhere."""
    if folder is None or "\x00" in name:
        return None
    try:
        path = (folder / name).resolve(strict=True)
        if not path.is_relative_to(folder.resolve()) or not path.is_file() or path.stat().st_size > MOST_BYTES:
            return None
        return path.read_bytes()
    except (OSError, RuntimeError, ValueError):
        return None
