"""`fewlabels serve`."""

import importlib.util
import ipaddress
import json
import os
import signal
import socket
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from fewlabels.cli.help import ManyOptions
from fewlabels.cli.options import json_option, ledger_option
from fewlabels.cli.output import note
from fewlabels.installation import install_command

if TYPE_CHECKING:
    from fewlabels.ledgers.people import People
    from fewlabels.service.settings import Settings

LAST_SECONDS = 1.0  # for readings under way when the server has stopped
OWNER_LINK_SECONDS = 3600.0
NEEDED = ("fastapi", "uvicorn", "jinja2")
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


class Address(NamedTuple):
    """Where the server is reached: the name it is bound to, its port, and how browsers see it."""

    host: str
    port: int
    name: str
    secure: bool
    behind: bool

    @property
    def url(self) -> str:
        """The address people use; behind a proxy that serves TLS, the proxy's."""
        name = f"[{self.name}]" if ":" in self.name else self.name
        return f"https://{name}" if self.behind else f"{'https' if self.secure else 'http'}://{name}:{self.port}"


@click.command(
    "serve",
    cls=ManyOptions,
    common=("--host", "--port", "--data", "--images", "--owner-link", "--ledger", "--json"),
    more={
        "Other machines": ("--host-name", "--certificate", "--key", "--tls-terminated", "--trust-proxy", "--insecure-http"),
        "More about the workbench": ("--allow-source", "--upload-mb", "--upload-days", "--lease"),
    },
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="The address to listen on. Any address other machines can reach needs TLS.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="The port; 0: any free one.")
@click.option("--host-name", "names", multiple=True, metavar="NAME", help="A name by which people reach the server. Repeatable.")
@click.option("--data", type=FOLDER, default=".", show_default="the working directory", help="The folder with the tables of new studies.")
@click.option("--images", type=FOLDER, metavar="FOLDER", help="The folder with the images that a column names.")
@click.option("--allow-source", "sources", multiple=True, metavar="PREFIX", help="Also allow sources that start with this. Repeatable.")
@click.option("--certificate", type=click.Path(exists=True, dir_okay=False), metavar="FILE", help="Serve TLS with this certificate.")
@click.option("--key", type=click.Path(exists=True, dir_okay=False), metavar="FILE", help="The private key of --certificate.")
@click.option("--tls-terminated", is_flag=True, help="A proxy in front serves TLS; cookies are sent over TLS only.")
@click.option("--trust-proxy", metavar="ADDRESS", help="Trust X-Forwarded-For from this proxy. By default the header is ignored.")
@click.option("--insecure-http", is_flag=True, help="Serve other machines without TLS, although anybody on the network can listen.")
@click.option(
    "--lease",
    type=click.FloatRange(min=1),
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a unit is reserved for a labeler.",
)
@click.option(
    "--upload-mb", type=click.FloatRange(min=0), default=200.0, show_default=True, metavar="N",
    help="The largest table an owner may upload into the data folder; 0: none.",
)  # fmt: skip
@click.option(
    "--upload-days", type=click.FloatRange(min=0, min_open=True), metavar="N",
    help="Delete uploads older than this that no study reads, when the server starts. Default: keep them.",
)  # fmt: skip
@click.option("--owner-link", is_flag=True, help="Print a new link for the owner and exit.")
@ledger_option
@json_option
def command(*, ledger: str, as_json: bool, owner_link: bool, **options: Any) -> None:
    """Serve the workbench: plan, label, watch and decide in a browser. Nobody gets in without a link.

    The first start prints a link for the owner, valid once and for an hour; the owner invites everybody else.

    \b
    Examples:
      fewlabels serve
      fewlabels serve --ledger postgresql://fewlabels@db/fewlabels --data /data --images /data/photos
      fewlabels serve --host 0.0.0.0 --host-name fewlabels.example.org --tls-terminated
    """  # noqa: D301
    _refuse_incomplete(options)
    from fewlabels.ledgers.opening import open_ledger
    from fewlabels.ledgers.people import People

    if owner_link:
        _show_link(_place(options, options["port"]), People(open_ledger(ledger)), as_json=as_json)
        return
    signal.signal(signal.SIGTERM, _end)
    bound = _bind(options["host"], options["port"])
    place = _place(options, bound.getsockname()[1])
    from fewlabels.service.app import create_app

    app = create_app(ledger, settings=_settings(options, place))
    people = app.state.bench.people
    if not people.has_owner():
        _show_link(place, people, as_json=as_json)
    elif as_json:
        _print_line({"url": place.url, "link": None})
    note(f"serving {ledger} at {place.url}")
    _serve(app, bound, options)


def _end(_number: int, _frame: object) -> None:
    """End the command as if interrupted."""
    raise click.exceptions.Exit(0)


def _refuse_incomplete(options: dict[str, Any]) -> None:
    """Raise UsageError if packages are missing, or if others could read the traffic."""
    if any(importlib.util.find_spec(package) is None for package in NEEDED):
        raise click.UsageError(f"The workbench needs more packages: {install_command('service')}")
    if (options["certificate"] is None) != (options["key"] is None):
        raise click.UsageError("TLS needs both: --certificate FILE --key FILE.")
    protected = options["certificate"] or options["tls_terminated"] or options["insecure_http"]
    if not _is_loopback(options["host"]) and not protected:
        raise click.UsageError(
            f"--host {options['host']} is reachable from other machines, so sessions and labels must be encrypted: give --certificate "
            "and --key, or --tls-terminated if a proxy serves TLS, or --insecure-http."
        )


def _is_loopback(host: str) -> bool:
    """Return whether only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _place(options: dict[str, Any], port: int) -> Address:
    """Return where people find the server."""
    names = options["names"]
    unnamed = "127.0.0.1" if options["host"] in ("0.0.0.0", "::") else options["host"]
    secure = bool(options["certificate"] or options["tls_terminated"])
    behind = bool(options["tls_terminated"] and names)
    return Address(options["host"], port, names[0] if names else unnamed, secure, behind)


def _settings(options: dict[str, Any], place: Address) -> "Settings":
    """Return the settings of the app."""
    from fewlabels.service.settings import LOOPBACK, Settings

    names = dict.fromkeys(name.lower() for name in (*LOOPBACK, place.host, *options["names"]))
    return Settings(
        data=options["data"], sources=options["sources"], images=options["images"], host_names=tuple(names), secure=place.secure,
        lease=options["lease"], upload_bytes=round(options["upload_mb"] * 1e6), upload_days=options["upload_days"],
    )  # fmt: skip


def _show_link(place: Address, people: "People", *, as_json: bool) -> None:
    """Print a new owner link: for a person, or as the one JSON object."""
    link = f"{place.url}/enter?key={people.owner_link(OWNER_LINK_SECONDS).secret}"
    if as_json:
        _print_line({"url": place.url, "link": link})
    else:
        note(f"the owner enters here, once and within an hour: {link}")


def _print_line(told: dict[str, str | None]) -> None:
    """Print one object on one line, for a reader that continues while the server runs."""
    click.echo(json.dumps(told))


def _bind(host: str, port: int) -> socket.socket:
    """Return a socket on the address; raise UsageError if it cannot be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # stated explicitly, or asyncio leaves Nagle's delay of 40 ms on
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen(128)  # clients may connect as soon as the address is printed; they wait until the server is ready
    except OSError as error:
        bound.close()
        raise click.UsageError(f"{host} port {port} cannot be used ({error.strerror}): name another with --port or --host.") from None
    return bound


def _serve(app: Any, bound: socket.socket, options: dict[str, Any]) -> None:
    """Serve until stopped; requests under way are finished first."""
    import uvicorn

    from fewlabels.service.connections import Waiting, limited
    from fewlabels.service.logs import write_logs

    write_logs()

    class Ending(uvicorn.Server):
        """A server whose event streams end when it is stopped."""

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            """Note the signal."""
            app.state.bench.ends.set()
            super().handle_exit(sig, frame)

    try:
        # Finishes requests under way, then raises the signal that stopped it again.
        Ending(uvicorn.Config(app, http=limited(Waiting()), **_how(options))).run(sockets=[bound])
    finally:
        note("stopped; what was recorded is kept")
        if app.state.bench.ends.is_set():
            _leave_readings()


def _leave_readings() -> None:
    """End the process if a reading that nobody waits for any more would keep it: it holds nothing that is not on disk."""
    others = [thread for thread in threading.enumerate() if thread is not threading.main_thread() and not thread.daemon]
    for thread in others:
        thread.join(LAST_SECONDS / len(others))
    if any(thread.is_alive() for thread in others):
        sys.stderr.flush()
        os._exit(0)


def _how(options: dict[str, Any]) -> dict[str, Any]:
    """Return uvicorn's settings: requests are not logged, as their addresses may hold links, and no proxy is trusted by default."""
    return {
        "log_config": None,
        "log_level": "warning",
        "access_log": False,
        "server_header": False,
        "proxy_headers": options["trust_proxy"] is not None,
        "forwarded_allow_ips": options["trust_proxy"] or "",
        "ssl_certfile": options["certificate"],
        "ssl_keyfile": options["key"],
        "timeout_keep_alive": 30,
        "timeout_graceful_shutdown": 10,
        "h11_max_incomplete_event_size": 65_536,
    }
