"""Spark: the pip package of the python that runs this file; a cluster of one master and two workers, and Spark Connect."""

import importlib.util
import os
import shutil
import signal
import sys
from pathlib import Path

from servers.processes import FOLDER, HOST, Failed, free_port, launch, save, wait_for

WORKERS = 2
WORKER_CORES = 2  # room for a second application beside one that takes a core of each worker
WORKER_MEMORY = "2g"


def spark_environment() -> dict[str, str]:
    """The environment of Spark's servers: of the pip package, on loopback, and nothing of the user's own Spark."""
    package = importlib.util.find_spec("pyspark")
    if package is None or package.origin is None:
        raise Failed(f"{sys.executable} has no pyspark: pip install '.[spark]', or run this file with a python that has it")
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        raise Failed("Spark needs Java, which is not installed: run scripts/install-debian")
    conf = FOLDER / "spark-conf"
    conf.mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_", "HADOOP_"))}
    return kept | {
        "SPARK_HOME": str(Path(package.origin).parent),
        "SPARK_CONF_DIR": str(conf),
        "SPARK_LOCAL_IP": HOST,
        "SPARK_LOCAL_DIRS": str(FOLDER / "spark-scratch"),
        "SPARK_DAEMON_MEMORY": "512m",
        "PYSPARK_PYTHON": sys.executable,
    }


def start(state: dict) -> None:
    """A master, then the workers. The pip package has no start-master.sh, but it has the classes."""
    environment = spark_environment()
    folders = ["spark-conf", "spark-scratch", *(f"spark-work-{i}" for i in range(1, WORKERS + 1))]
    state["temporary"] += [str(FOLDER / name) for name in folders]
    save(state)
    run = [str(Path(environment["SPARK_HOME"]) / "bin" / "spark-class")]
    port = free_port()
    address = f"spark://{HOST}:{port}"
    named = ["org.apache.spark.deploy.master.Master", "--host", HOST, "--port", str(port), "--webui-port", "0"]
    master = launch(state, "spark-master", [*run, *named], ends_by=signal.SIGTERM, env=environment, cwd=FOLDER)
    wait_for(master, lambda log: "New state: ALIVE" in log)
    remote, connect = start_connect(state, environment)
    workers = []
    for i in range(1, WORKERS + 1):
        room = ["--cores", str(WORKER_CORES), "--memory", WORKER_MEMORY, "--work-dir", str(FOLDER / f"spark-work-{i}")]
        named = ["org.apache.spark.deploy.worker.Worker", "--host", HOST, "--webui-port", "0", *room, address]
        workers.append(launch(state, f"spark-worker-{i}", [*run, *named], ends_by=signal.SIGTERM, env=environment, cwd=FOLDER))
    for worker in workers:
        wait_for(worker, lambda log: "Successfully registered with master" in log)
    wait_for(connect, lambda log: "Spark Connect server started" in log)
    state["variables"] |= {"FEWLABELS_TEST_SPARK": address, "FEWLABELS_TEST_SPARK_CONNECT": remote}
    save(state)


def start_connect(state: dict, environment: dict[str, str]) -> tuple[str, dict]:
    """The address of a Spark Connect server, which does its work itself, and the server; it comes up while the workers do."""
    port = free_port()
    names = {"spark.connect.grpc.binding.address": HOST, "spark.connect.grpc.binding.port": port, "spark.ui.enabled": "false"}
    options = [part for name, value in (names | {"spark.sql.shuffle.partitions": 2}).items() for part in ("--conf", f"{name}={value}")]
    submit = [str(Path(environment["SPARK_HOME"]) / "bin" / "spark-submit"), "--master", "local[1]", *options]
    command = [*submit, "--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    return f"sc://{HOST}:{port}", launch(state, "spark-connect", command, ends_by=signal.SIGTERM, env=environment, cwd=FOLDER)
