"""The status of a study, as pages show it."""

from typing import Any

from fastapi import Request

from fewlabels.service import api_studies
from fewlabels.service.access import Member


async def status_of(request: Request, member: Member) -> dict[str, Any]:
    """Return where the study stands, as the API says it."""
    return (await api_studies.read_status(request, member)).model_dump()
