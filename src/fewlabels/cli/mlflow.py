"""`fewlabels mlflow`."""

import os

import click

from fewlabels.cli.options import json_option, ledger_option, study_argument
from fewlabels.cli.output import note, print_json, working

# MLflow's own variables, set unless they are set already: by default it waits minutes for an absent server, and reports its use.
QUIET = {"MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2", "MLFLOW_DISABLE_TELEMETRY": "true"}


@click.command("mlflow")
@study_argument
@click.option(
    "--tracking-uri",
    envvar="MLFLOW_TRACKING_URI",
    show_envvar=True,
    metavar="ADDRESS",
    help="The tracking server, such as http://127.0.0.1:5000, or a database, such as sqlite:///mlflow.db.",
)
@click.option("--experiment", default="fewlabels", show_default=True, metavar="NAME", help="The experiment; created if missing.")
@click.option("--run", metavar="NAME", help="The name of a new run. Default: the study's name.")
@ledger_option
@json_option
def command(*, study: str, tracking_uri: str | None, experiment: str, run: str | None, ledger: str, as_json: bool) -> None:
    """Log every certified look of a study, its verdict and its report to one MLflow run. Logging twice changes nothing.

    \b
    Example:
      fewlabels mlflow demo --tracking-uri http://127.0.0.1:5000 --experiment spam
    """  # noqa: D301
    from fewlabels.integrations.mlflow import log_study
    from fewlabels.study.study import Study

    if not tracking_uri:
        raise click.UsageError("Name the tracking server, --tracking-uri http://127.0.0.1:5000, or set MLFLOW_TRACKING_URI.")
    for variable, value in QUIET.items():
        os.environ.setdefault(variable, value)
    with working("logging to MLflow"):
        logged = log_study(Study.load(study, ledger=ledger), tracking_uri=tracking_uri, experiment=experiment, run=run)
    if as_json:
        print_json({"study": study, "experiment": experiment, **logged.as_json()})
        return
    click.echo(f"run {logged.run_id} of experiment {experiment}: {len(logged.steps)} new looks, {logged.known} known")
    for artifact in logged.artifacts:
        note(f"artifact {artifact}")
