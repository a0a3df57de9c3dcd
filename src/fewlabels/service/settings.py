"""What the person who starts the server decides, and how many requests anybody may make."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from fewlabels.desk.desk import LEASE

LOOPBACK = ("127.0.0.1", "localhost", "::1")


class RequestRate(NamedTuple):
    """So many requests at once, and then so many per second."""

    burst: float
    per_second: float


OF_ADDRESS, TO_ENTER, REFUSED, OF_PERSON = RequestRate(1_000, 200), RequestRate(60, 0.5), RequestRate(100, 2), RequestRate(300, 40)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimits:
    """How many requests one address and one person may make.

    address    every request of an address; a whole office may share one
    entering   attempts to sign in, by address
    refused    requests of an address that carried no valid session or token
    person     requests of a session or token
    watching   event streams a person may hold open, and all people together
    verifying  verifications a person may wait for at a time, and all people together
    computing  long computations at one time; labelers never wait for them
    """

    address: RequestRate = OF_ADDRESS
    entering: RequestRate = TO_ENTER
    refused: RequestRate = REFUSED
    person: RequestRate = OF_PERSON
    watching: tuple[int, int] = (6, 200)
    verifying: tuple[int, int] = (4, 40)
    computing: int = 3
    body_bytes: int = 1_000_000
    body_seconds: float = 30.0
    upload_seconds: float = 3_600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How one server is run.

    data        new studies are made from tables below this folder only
    sources     prefixes of other sources that are allowed, such as postgresql://warehouse/
    images      the folder of the images that a column names; if None, only images inside the table are shown
    host_names  the names the server answers to; requests for other names are rejected, which prevents DNS rebinding
    secure      whether browsers reach it over TLS: cookies are then sent over TLS only
    lease       seconds a labeler has for the units they took
    upload_bytes    the largest table an owner may upload into the data folder; 0: none
    upload_days     how long uploads are kept that no study reads; None: until somebody deletes them
    """

    data: Path = field(default_factory=Path.cwd)
    sources: tuple[str, ...] = ()
    images: Path | None = None
    host_names: tuple[str, ...] = LOOPBACK
    secure: bool = False
    lease: float = LEASE
    upload_bytes: int = 200_000_000
    upload_days: float | None = None
    limits: RequestLimits = field(default_factory=RequestLimits)
