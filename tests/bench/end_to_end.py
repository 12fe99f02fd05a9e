#!/usr/bin/env python3
# Measures pkadvisor against DuckDB and Polars on the same files, whole processes, and prints a table.
#
#   python3 -m venv /tmp/peers && /tmp/peers/bin/pip install duckdb polars
#   /tmp/peers/bin/python tests/bench/end_to_end.py /tmp/bench-data
#
# Builds the tool and the generator, makes 1 GB of items and the other files in the folder, which are
# kept for the next time, and runs all sides in turn. --scale 0.1 --runs 1 is a quick look.
"""Whole runs of pkadvisor and its peers on the same data: wall time, processor time, memory."""

import argparse
import gzip
import json
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

KEYS = [
    "/id",
    "/tenantId",
    "/userId",
    "/address/zip",
    "/deviceId",
    "{/tenantId}_{/date}",
    "{/tenantId}-{/id%10}",
    "/tenantId,/userId,/sessionId",
]

# What a key is to a peer: the columns to group by. The suffix is by another hash, so that key's number
# of distinct values differs a little.
SUFFIXED = "{/tenantId}-{/id%10}"
COLUMNS = {
    "/id": ["id"],
    "/tenantId": ["tenant"],
    "/userId": ["user_id"],
    "/address/zip": ["zip"],
    "/deviceId": ["device"],
    "{/tenantId}_{/date}": ["tenant || '_' || day"],
    SUFFIXED: ["tenant || '-' || (1 + hash(id) % 10)"],
    "/tenantId,/userId,/sessionId": ["tenant", "user_id", "session"],
}

# The properties of an item that a peer needs: the column and where it stands.
PROPERTIES = {
    "id": "id",
    "tenant": "tenantId",
    "user_id": "userId",
    "zip": "address.zip",
    "device": "deviceId",
    "day": "date",
    "session": "sessionId",
}

CSV_COLUMNS = (
    "id type tenantId userId sessionId deviceId ts date amount active title "
    "address.street address.city address.zip note"
).split()

LOG_PROPERTIES = {column: f"filter.{place}" for column, place in PROPERTIES.items() if column != "id"}

PARTITIONS = 50


# --- The peers. Each runs as a process of its own: this file with --peer. ---


def needed(keys):
    """The columns that these keys are made of."""
    text = " ".join(part for key in keys for part in COLUMNS[key])
    return [column for column in PROPERTIES if column in text]


def duckdb_connection(memory):
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"SET threads = {os.cpu_count()}")
    if memory:
        connection.execute(f"SET memory_limit = '{memory}'")
        connection.execute(f"SET temp_directory = '{tempfile.mkdtemp(prefix='duckdb-')}'")
    return connection


def duckdb_items(connection, form, file, keys):
    """Loads the wanted properties and the bytes of each item into a table."""
    columns = needed(keys)
    if form == "csv":
        types = ", ".join(f"'{name}': 'VARCHAR'" for name in CSV_COLUMNS)
        wanted = ", ".join(f'"{PROPERTIES[column]}" AS {column}' for column in columns)
        size = " + ".join(f'coalesce(strlen("{name}"), 0)' for name in CSV_COLUMNS)
        source = f"read_csv('{file}', header = true, auto_detect = false, delim = ',', quote = '\"', columns = {{{types}}})"
        connection.execute(f"CREATE TEMP TABLE items AS SELECT {size} AS bytes, {wanted} FROM {source}")
        return
    paths = ", ".join(f"'$.{PROPERTIES[column]}'" for column in columns)
    wanted = ", ".join(f"found[{place}] AS {column}" for place, column in enumerate(columns, 1))
    if form == "array":
        line, source = "json", f"read_json_objects('{file}', format = 'array')"
    else:
        line = "line"
        source = (
            f"read_csv('{file}', columns = {{'line': 'VARCHAR'}}, header = false, auto_detect = false, "
            "delim = '\x01', quote = '', escape = '')"
        )
    connection.execute(
        f"CREATE TEMP TABLE items AS SELECT strlen({line}) AS bytes, {wanted} FROM "
        f"(SELECT {line}, json_extract_string({line}, [{paths}]) AS found FROM {source})"
    )


def duckdb_groups(connection, keys):
    """For each key: distinct values of each level, top 10 by bytes, p50, p99 and largest."""
    answers = {}
    for key in keys:
        parts = COLUMNS[key]
        names = [f"k{level}" for level in range(len(parts))]
        grouped = ", ".join(f"{part} AS {name}" for part, name in zip(parts, names))
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE groups AS SELECT {grouped}, count(*) AS items, sum(bytes) AS bytes "
            "FROM items GROUP BY ALL"
            if len(parts) > 1
            else "SELECT 1"
        )
        if len(parts) > 1:
            for level in range(1, len(parts)):
                prefix = ", ".join(names[:level])
                connection.execute(f"SELECT count(*) FROM (SELECT DISTINCT {prefix} FROM groups)").fetchone()
            groups = "groups"
        else:
            groups = f"(SELECT {grouped}, count(*) AS items, sum(bytes) AS bytes FROM items GROUP BY ALL)"
        row = connection.execute(
            f"SELECT count(*), sum(items), quantile_disc(bytes, [0.5, 0.99]), max(bytes), "
            f"max_by(row({', '.join(names)}), bytes, 10) FROM {groups}"
        ).fetchone()
        answers[key] = row[0]
    return answers


def duckdb_log(connection, form, file):
    """Loads a log; a property that an operation does not name is null."""
    if form == "csv":
        columns = ["ts", "op", "id", *(LOG_PROPERTIES[column] for column in ("tenant", "user_id", "session"))]
        columns += [LOG_PROPERTIES[column] for column in ("device", "zip", "day")] + ["ru:number"]
        types = ", ".join(
            f"'{name}': '{ {'ts': 'TIMESTAMP', 'ru:number': 'DOUBLE'}.get(name, 'VARCHAR') }'" for name in columns
        )
        wanted = ", ".join(f'"{place}" AS {column}' for column, place in LOG_PROPERTIES.items())
        source = f"read_csv('{file}', header = true, auto_detect = false, delim = ',', columns = {{{types}}})"
        charge = '"ru:number"'
    else:
        fields = {place: "VARCHAR" for column, place in PROPERTIES.items() if column != "id"}
        members = ", ".join(f'"{name}" VARCHAR' for name in fields)
        types = f"'ts': 'TIMESTAMP', 'op': 'VARCHAR', 'id': 'VARCHAR', 'filter': 'STRUCT({members})', 'ru': 'DOUBLE'"
        wanted = ", ".join(
            f"filter.\"{place}\" AS {column}" for column, place in PROPERTIES.items() if column != "id"
        )
        source = f"read_json('{file}', format = 'newline_delimited', columns = {{{types}}})"
        charge = "ru"
    connection.execute(
        f"CREATE TEMP TABLE log AS SELECT epoch(ts)::BIGINT // 60 AS minute, id, {wanted}, {charge} AS ru FROM {source}"
    )


def duckdb_sums(connection, keys):
    """For each key: operations and RU of each partition and minute; null is what asks all partitions."""
    for key in keys:
        parts = COLUMNS[key]
        known = " AND ".join(f"({part}) IS NOT NULL" for part in parts)
        hashed = ", ".join(parts)
        connection.execute(
            f"SELECT max(ru), sum(ru), count(*) FROM (SELECT "
            f"CASE WHEN {known} THEN hash({hashed}) % {PARTITIONS} END AS place, minute, "
            f"sum(ru) AS ru, count(*) AS operations FROM log GROUP BY ALL)"
        ).fetchone()


def peer_duckdb(arguments):
    connection = duckdb_connection(arguments.memory)
    answers = {}
    if arguments.file:
        duckdb_items(connection, arguments.form, arguments.file, arguments.key)
        answers = duckdb_groups(connection, arguments.key)
    if arguments.log:
        duckdb_log(connection, arguments.log_form, arguments.log)
        duckdb_sums(connection, arguments.key)
    return answers


def peer_polars(arguments):
    import polars

    kinds = {name: polars.String for name in ("id", "tenantId", "userId", "deviceId", "date", "sessionId")}
    item = polars.Struct({**kinds, "address": polars.Struct({"zip": polars.String})})
    line = polars.col("lines")
    lines = polars.scan_lines(arguments.file, name="lines")
    loaded = lines.select(line.str.len_bytes().alias("bytes"), line.str.json_decode(item).alias("item"))
    field = polars.col("item").struct.field
    items = loaded.select(
        "bytes",
        field("id"),
        field("tenantId").alias("tenant"),
        field("userId").alias("user_id"),
        field("deviceId").alias("device"),
        field("date").alias("day"),
        field("sessionId").alias("session"),
        field("address").struct.field("zip"),
    ).collect(engine="streaming")
    column = polars.col
    parts = {
        "/id": [column("id")],
        "/tenantId": [column("tenant")],
        "/userId": [column("user_id")],
        "/address/zip": [column("zip")],
        "/deviceId": [column("device")],
        "{/tenantId}_{/date}": [column("tenant") + "_" + column("day")],
        SUFFIXED: [column("tenant") + "-" + (column("id").hash() % 10).cast(polars.String)],
        "/tenantId,/userId,/sessionId": [column("tenant"), column("user_id"), column("session")],
    }
    answers = {}
    for key in arguments.key:
        names = [f"k{level}" for level in range(len(parts[key]))]
        grouped = [part.alias(name) for part, name in zip(parts[key], names)]
        sizes = column("bytes").sum()
        groups = items.lazy().group_by(grouped).agg(polars.len().alias("items"), sizes)
        groups = groups.collect(engine="streaming")
        for level in range(1, len(names)):
            groups.select(names[:level]).n_unique()
        groups.top_k(10, by="bytes")
        groups.select(column("bytes").quantile(0.5), column("bytes").quantile(0.99).alias("p99"))
        answers[key] = len(groups)
    return answers


# --- Measuring. ---


class Run:
    """What one process took."""

    def __init__(self, wall, cpu, peak, code, said):
        self.wall, self.cpu, self.peak, self.code, self.said = wall, cpu, peak, code, said


def measured(command, timeout, feeder=None):
    """Runs a command to its end; `feeder` is a command that writes to its standard input."""
    with tempfile.TemporaryFile() as said:
        source = subprocess.Popen(feeder, stdout=subprocess.PIPE) if feeder else None
        started = time.perf_counter()
        child = subprocess.Popen(
            command,
            stdin=source.stdout if source else subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        if source:
            source.stdout.close()
        over = threading.Timer(timeout, os.kill, (child.pid, signal.SIGKILL))
        over.start()
        # The id stays the child's until wait4, so that nothing else is ended.
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        wall = time.perf_counter() - started
        over.cancel()
        over.join()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if source:
            source.wait()
        said.seek(0)
        # Linux counts in KiB, macOS in bytes.
        unit = 1 if sys.platform == "darwin" else 1024
        return Run(
            wall,
            usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss * unit / 2**20,
            child.returncode,
            said.read().decode(errors="replace").strip(),
        )


def warm(file):
    """Reads a file, so that all sides find it in memory, if it fits there."""
    with file.open("rb", buffering=0) as whole:
        while whole.read(1 << 22):
            pass


class Bench:
    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = arguments.folder
        self.items = max(1000, int(1_000_000 * arguments.scale))
        self.operations = max(1000, int(5_000_000 * arguments.scale))
        target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
        if not arguments.no_build:
            build = ["cargo", "build", "--release", "--locked", "--quiet", "--bin", "pkadvisor", "--example", "generate"]
            subprocess.run(build, cwd=ROOT, check=True)
        self.tool = arguments.tool or target / "release/pkadvisor"
        self.generator = target / "release/examples/generate"
        named = subprocess.run([self.tool, "analyze", "--help"], capture_output=True, text=True, check=True)
        self.bounded = "--memory" in named.stdout

    # Data.

    def made(self, name, *generate):
        """A file in the folder, made with the generator unless it is there."""
        scale = "" if self.arguments.scale == 1 else f"-{self.arguments.scale:g}"
        stem, _, ending = name.partition(".")
        file = self.folder / f"{stem}{scale}.{ending}"
        if not file.exists():
            part = file.with_name(file.name + ".part")
            with part.open("wb") as out:
                subprocess.run([self.generator, *map(str, generate)], stdout=out, check=True)
            part.rename(file)
        return file

    def packed(self, file, ending):
        """The same file compressed, as the usual programs do it."""
        packed = file.with_name(file.name + ending)
        if not packed.exists():
            part = packed.with_name(packed.name + ".part")
            if ending == ".gz":
                with file.open("rb") as plain, gzip.open(part, "wb", compresslevel=6) as out:
                    shutil.copyfileobj(plain, out, 1 << 20)
            else:
                command = ["zstd", "-3", "-q", "-f", str(file), "-o", str(part)]
                subprocess.run(command, check=True)
            part.rename(packed)
        return packed

    def lines(self):
        return self.made("items.jsonl", "items", self.items)

    def log(self, form):
        return self.made(f"log.{form}", "log", self.operations, "--form", form, "--items", self.items)

    # Commands.

    def advisor(self, file, keys, *more):
        chosen = [part for key in keys for part in ("--key", key)]
        report = self.folder / "report.json"
        output = ["--format", "json", "--output", f"json={report}", "--quiet"]
        return [str(self.tool), "analyze", str(file), *chosen, *output, *map(str, more)]

    def peer(self, name, file, keys, *more):
        chosen = [part for key in keys for part in ("--key", key)]
        given = ["--file", str(file)] if file else []
        return [sys.executable, __file__, "--peer", name, *given, *chosen, *map(str, more)]

    # Rows.

    def measure(self, title, commands, files=(), compare=None, feeder=None):
        """Runs the commands in turn and prints a line for each; the ratios are to `compare`."""
        tools = tuple(self.arguments.tools)
        commands = {name: command for name, command in commands.items() if name.startswith(tools)}
        runs = {name: [] for name in commands}
        answers = {}
        for file in files:
            warm(file)
        for _ in range(self.arguments.runs):
            for name, command in commands.items():
                if runs[name] is None:
                    continue
                run = measured(command, self.arguments.timeout, feeder)
                if run.code != 0:
                    last = run.said.splitlines()[-1] if run.said else ""
                    print(f"{title}, {name}: ended with {run.code}: {last}", file=sys.stderr)
                    runs[name] = None
                    continue
                runs[name].append(run)
                answers[name] = self.answers(name, run)
        medians = {
            name: tuple(statistics.median(getattr(run, what) for run in all) for what in ("wall", "cpu", "peak"))
            for name, all in runs.items()
            if all
        }
        base = medians.get(compare)
        for name, all in runs.items():
            if not all:
                print(f"| {title} | {name} | failed | | | | | |", flush=True)
                continue
            wall, cpu, peak = medians[name]
            low, high = min(run.wall for run in all), max(run.wall for run in all)
            ratios = f"{wall / base[0]:.2f} | {cpu / base[1]:.2f} | {peak / base[2]:.2f}" if base else " | | "
            print(
                f"| {title} | {name} | {wall:.2f} [{low:.2f}-{high:.2f}] | {cpu:.2f} | {peak:.0f} | {ratios} |",
                flush=True,
            )
        self.compare(title, answers)

    def answers(self, name, run):
        """Distinct values by key, as a tool says."""
        if name.startswith("pkadvisor"):
            report = json.loads((self.folder / "report.json").read_text())
            exact = [one for one in report["candidates"] if one["cardinality"].get("exact", True)]
            return {one["key"]: one["cardinality"]["distinct"] for one in exact}
        return json.loads(run.said.splitlines()[-1])

    def compare(self, title, answers):
        for name, of_peer in answers.items():
            for other, distinct in of_peer.items():
                ours = answers.get("pkadvisor", {}).get(other, distinct)
                if ours != distinct and other != SUFFIXED:
                    print(f"{title}, {other}: {name} counts {distinct}, pkadvisor {ours}", file=sys.stderr)

    def file_row(self, title, form, file, keys, *more, polars=False, peer_options=()):
        duckdb = f"DuckDB {form}"
        commands = {
            "pkadvisor": self.advisor(file, keys, *more),
            duckdb: self.peer("duckdb", file, keys, "--form", form, *peer_options),
        }
        if polars:
            commands["Polars lines"] = self.peer("polars", file, keys)
        self.measure(title, commands, files=[file], compare=duckdb)

    def row_lines(self):
        self.file_row("lines, 8 candidates", "lines", self.lines(), KEYS, polars=True)

    def row_array(self):
        file = self.made("items-array.json", "items", self.items, "--form", "array")
        self.file_row("indented array, 8 candidates", "array", file, KEYS)

    def row_csv(self):
        file = self.made("items.csv", "items", self.items, "--form", "csv")
        self.file_row("CSV, 8 candidates", "csv", file, KEYS)

    def row_gzip(self):
        self.file_row("lines in gzip, 8 candidates", "lines", self.packed(self.lines(), ".gz"), KEYS)

    def row_zstd(self):
        self.file_row("lines in zstd, 8 candidates", "lines", self.packed(self.lines(), ".zst"), KEYS)

    def row_candidates(self):
        for count in (1, 2):
            title = f"lines, {count} candidate{'s' if count > 1 else ''}"
            self.file_row(title, "lines", self.lines(), KEYS[:count])

    def row_memory(self):
        if not self.bounded:
            print("memory: this pkadvisor has no --memory", file=sys.stderr)
            return
        for memory in ("64MiB", "256MiB"):
            title = f"lines, 8 candidates, --memory {memory}"
            self.file_row(title, "lines", self.lines(), KEYS, "--memory", memory, peer_options=["--memory", "500MB"])

    def row_log(self, form):
        few = self.made("items-few.jsonl", "items", 1000)
        log = self.log(form)
        simulated = ["--log", log, "--partitions", PARTITIONS, "--throughput", 500_000]
        self.measure(
            f"log as {form}, 8 candidates",
            {
                "pkadvisor": self.advisor(few, KEYS, *simulated),
                "pkadvisor, minutes": self.advisor(few, KEYS, *simulated, "--window", "1m"),
                "DuckDB sums": self.peer("duckdb", None, KEYS, "--log", log, "--log-form", form),
            },
            files=[log],
            compare="DuckDB sums",
        )

    def row_csv_log(self):
        self.row_log("csv")

    def row_jsonl_log(self):
        self.row_log("jsonl")

    def row_both(self):
        log = self.log("csv")
        simulated = ["--partitions", PARTITIONS, "--throughput", 500_000]
        self.measure(
            "lines and log as csv, 8 candidates",
            {
                "pkadvisor": self.advisor(self.lines(), KEYS, "--log", log, *simulated),
                "DuckDB lines, sums": self.peer("duckdb", self.lines(), KEYS, "--log", log, "--log-form", "csv"),
            },
            files=[self.lines(), log],
            compare="DuckDB lines, sums",
        )

    def row_ten(self):
        file = self.made("items-ten.jsonl", "items", 10 * self.items)
        self.file_row("10 times the lines, 8 candidates", "lines", file, KEYS)
        if self.bounded:
            more = ["--memory", "256MiB"]
            title = "10 times the lines, 8 candidates, --memory 256MiB"
            self.file_row(title, "lines", file, KEYS, *more, peer_options=["--memory", "500MB"])

    def row_pipe(self):
        if not self.bounded:
            print("pipe: this pkadvisor has no --memory", file=sys.stderr)
            return
        count = int(100_000_000 * self.arguments.scale)
        command = self.advisor("-", ["/id"], "--memory", "1GiB")
        feeder = [str(self.generator), "small", str(count)]
        self.measure(f"{count:,} small items from a pipe, --memory 1GiB", {"pkadvisor": command}, feeder=feeder)


ROWS = "lines array csv gzip zstd candidates memory csv_log jsonl_log both ten pipe".split()


def versions():
    import importlib.metadata

    def version(name):
        try:
            return f"{name} {importlib.metadata.version(name)}"
        except importlib.metadata.PackageNotFoundError:
            return f"{name} missing"

    return f"{version('duckdb')}, {version('polars')}, Python {platform.python_version()}, {os.cpu_count()} processors"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="where the data are made, and kept")
    parser.add_argument("--scale", type=float, default=1, help="share of 1 GB of items and 5,000,000 operations")
    parser.add_argument("--runs", type=int, default=5, help="runs of each side, in turn")
    parser.add_argument("--only", nargs="+", choices=ROWS, help="these rows; all but ten and pipe otherwise")
    parser.add_argument("--tools", nargs="+", default=[""], help="these sides alone, such as pkadvisor or DuckDB")
    parser.add_argument("--ten", action="store_true", help="also 10 times the items")
    parser.add_argument("--pipe", action="store_true", help="also 100,000,000 small items from a pipe")
    parser.add_argument("--timeout", type=float, default=900, help="seconds after which a process is ended")
    parser.add_argument("--tool", type=Path, help="another pkadvisor than the one built here")
    parser.add_argument("--no-build", action="store_true", help="take the programs as they were built last")
    parser.add_argument("--peer", choices=["duckdb", "polars"], help=argparse.SUPPRESS)
    for hidden in ("--file", "--form", "--log", "--log-form", "--memory"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    parser.add_argument("--key", action="append", default=[], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        answers = {"duckdb": peer_duckdb, "polars": peer_polars}[arguments.peer](arguments)
        print(json.dumps(answers), file=sys.stderr)
        return
    if not arguments.folder:
        parser.error("name a folder for the data")
    arguments.folder = arguments.folder.resolve()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(arguments)
    print(f"{versions()}; medians of {arguments.runs} runs in turn, whole processes")
    print()
    print("| data and work | tool | wall s [min-max] | CPU s | peak MiB | wall ratio | CPU ratio | memory ratio |")
    print("|---|---|---|---|---|---|---|---|")
    extra = {"ten": arguments.ten, "pipe": arguments.pipe}
    for row in arguments.only or [row for row in ROWS if extra.get(row, True)]:
        getattr(bench, f"row_{row}")()


if __name__ == "__main__":
    main()
