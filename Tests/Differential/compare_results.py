"""Compares results with what visitors did, and with the numbers of DuckDB, gbstats and tea-tasting.

`turnout simulate` draws the visitors, with effects of 0, +5 % and -3 %. They also convert before their exposure, some
see two variations, and some clocks are wrong. One server gets every event twice and in any order, half of them through
a server that forwards them; another gets each event once, the latest first. Their results must be the same bytes and
cover the effects. Each number in them is computed again, by others, from the exported events.
"""

import http.server
import json
import math
import random
import re
import shutil
import subprocess
import threading
import uuid

import duckdb
import numpy
import pandas
import support
import tea_tasting
from gbstats.frequentist.tests import FrequentistConfig, SequentialConfig, SequentialTwoSidedTTest, TwoSidedTTest
from gbstats.models.statistics import (
    ProportionStatistic, RatioStatistic, RegressionAdjustedStatistic, SampleMeanStatistic, compute_theta,
)  # fmt: skip
from support import TURNOUT, Server, expect

PROJECT = """
project: shop
environments: {production: {sdk_key: shop}}
events: [purchase, refund]
flags:
  checkout:
    variations: {off: {}, same: {}, big: {}, small: {}}
    rules:
      - experiment: checkout_test
        split: {off: 25, same: 25, big: 25, small: 25}
        metrics:
          - purchase.unique
          - purchase.revenue
          - purchase.revenue_per_conversion
          - refund.total
          - refund.revenue_per_conversion
        plan: {visitors: 80000}
    else: off
"""
EFFECTS = {"same": 0, "big": 0.05, "small": -0.03}
# The planned visitors of two of the four arms.
PLANNED = 40_000
# The columns of a metric: what is averaged, and its denominator or the same number before the exposure.
METRICS = {
    "purchase.unique": ("purchased", "purchased_before"),
    "purchase.revenue": ("revenue", "revenue_before"),
    "purchase.revenue_per_conversion": ("revenue", "purchases"),
    "refund.total": ("refunds", "refunds_before"),
    "refund.revenue_per_conversion": ("refunded", "refunds"),
}
PRIMARY = next(iter(METRICS))
# The same, and the numbers before the exposure as if they were metrics of their own.
COLUMNS = METRICS | {f"{name} before": (columns[1], columns[1]) for name, columns in METRICS.items()}
DAY = 86_400_000

# Visitors


class Recorder(http.server.BaseHTTPRequestHandler):
    """Keeps what it receives."""

    bodies = []

    def do_POST(self):
        self.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def simulate(project, visitors):
    """What `turnout simulate` sends: one entry of a body for each event."""
    with http.server.HTTPServer(("127.0.0.1", 0), Recorder) as recorder:
        threading.Thread(target=recorder.serve_forever, daemon=True).start()
        effects = [option for key, effect in EFFECTS.items() for option in ("--effect", f"{key}={effect:.0%}")]
        subprocess.run(
            [TURNOUT, "simulate", project, "--server", f"http://127.0.0.1:{recorder.server_port}", "--days", "10",
             "--visitors", str(visitors), "--event", "purchase", "--base-rate", "50%", "--revenue", "4000", *effects],
            check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        recorder.shutdown()
    return [entry for body in Recorder.bodies for entry in body["visitors"]]


def snapshot(entry):
    return entry["snapshots"][0]


def time(entry):
    return snapshot(entry)["events"][0]["timestamp"]


def identifier():
    return str(uuid.UUID(int=random.getrandbits(128), version=4))


def conversion(visitor, key, timestamp, mean):
    """A conversion with a revenue around a mean."""
    revenue = int(random.expovariate(1 / mean))
    event = {"entity_id": key, "key": key, "uuid": identifier(), "timestamp": timestamp, "revenue": revenue}
    return {"visitor_id": visitor, "attributes": [], "snapshots": [{"events": [event]}]}


def crossing(exposure, variations):
    """A later exposure to another variation."""
    entry = json.loads(json.dumps(exposure))
    decision, event = snapshot(entry)["decisions"][0], snapshot(entry)["events"][0]
    decision["variation_id"] = random.choice([each for each in variations if each != decision["variation_id"]])
    event |= {"uuid": identifier(), "timestamp": time(exposure) + 1}
    return entry


def completed(entries):
    """The entries with what the simulation does not send; how many visitors cross; how many clocks are wrong."""
    exposures = sorted((entry for entry in entries if "decisions" in snapshot(entry)), key=time, reverse=True)
    firsts = {entry["visitor_id"]: entry for entry in exposures}
    variations = sorted({snapshot(entry)["decisions"][0]["variation_id"] for entry in exposures})
    more, crossed, wrong = [], 0, 0
    for visitor, exposure in firsts.items():
        first = time(exposure)
        if random.random() < 0.35:
            more.append(conversion(visitor, "purchase", first - random.randint(1, 13 * DAY), 4_000))
        # Some return what they buy, before and after.
        returns = random.random() < 0.35
        if returns:
            more.append(conversion(visitor, "refund", first - random.randint(1, 13 * DAY), 2_000))
        if random.random() < (0.004 if returns else 0.0008):
            more.append(conversion(visitor, "refund", first + random.randint(0, 600_000), 2_000))
        if random.random() < 0.002:
            more.append(crossing(exposure, variations))
            crossed += 1
        elif random.random() < 0.01:
            more.append(conversion(visitor, "purchase", first - 60 * DAY, 4_000))
            wrong += 1
    return entries + more, crossed, wrong


# Servers


def send(server, entries):
    connection, envelope = server.connect(), Recorder.bodies[0]
    for start in range(0, len(entries), 1_000):
        content = json.dumps(envelope | {"visitors": entries[start:start + 1_000]})
        connection.request("POST", "/v1/events", content, {"Content-Type": "application/json"})
        response = connection.getresponse()
        expect(response.status == 204, f"events: status {response.status}: {response.read()}")
        response.read()


def results(*source):
    command = [TURNOUT, "results", "checkout_test", "--output", "json", *source]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def serve(folder, project, entries):
    """Sends the events in two ways, and exports them. Returns the results."""
    relayed, ordered, relay = (Server(folder / name, project) for name in ("relayed", "ordered", "relay"))
    with relayed.running():
        support.wait("the experiment to be known", lambda: "checkout_test" in relayed.get("/results"))
    # Both have seen the experiment at the same time.
    shutil.copytree(relayed.data, ordered.data)
    shuffled = random.sample(entries * 2, len(entries) * 2)
    with relayed.running(), relay.running("--set", f"events.forward={relayed.address}/v1/events"):
        send(relay, shuffled[::2])
        send(relayed, shuffled[1::2])
        relay.wait_until_processed()
        relayed.wait_until_processed()
        found = results("--server", relayed.address)
    with ordered.running():
        send(ordered, sorted(entries, key=time, reverse=True))
        ordered.wait_until_processed()
    for server in (relayed, ordered):
        expect(results("--data", server.data) == found, f"the results of {server.data} are other bytes")
    export = [TURNOUT, "events", "export", "--data", relayed.data, "--to", folder / "files"]
    subprocess.run(export, check=True, capture_output=True)
    return json.loads(found)


# Other programs


def same(what, found, expected):
    expect(numpy.allclose(found, expected, rtol=1e-9, atol=1e-9), f"{what}: found {found}, expected {expected}")
    same.count += numpy.size(found)


same.count = 0


def query_page(folder, found):
    """Runs the page's queries on the exported files, and compares them with the results. Returns the queries."""
    page = (support.ROOT / "Documentation/Guides/EventsInFiles.md").read_text("utf-8")
    views, *_, query = re.findall(r"```sql\n(.*?)```", page, re.S)
    duckdb.execute(f"SET file_search_path = '{folder / 'files'}'; SET TimeZone = 'UTC'; {views}")
    query = query.replace("'4101'", f"'{found['experiment']['id']}'")
    rows = {arm: numbers for arm, *numbers in duckdb.execute(query).fetchall()}
    for index, arm in enumerate(found["arms"]):
        means = [metric["means"][index] for metric in found["metrics"][:2]]
        same(f"DuckDB: {arm['key']}", [arm["visitors"], *means], rows.pop(arm["id"]))
    expect(not rows, f"DuckDB finds other arms: {rows}")
    return query


def users(query):
    """The numbers of each visitor who counts, with the page's definition of those."""
    columns = ", ".join(
        f"coalesce(sum({amount}) FILTER (c.event_key = '{event}' AND {when}), 0)::BIGINT AS {name}{suffix}"
        for event, amount, name in [
            ("purchase", "1", "purchases"), ("purchase", "c.revenue", "revenue"), ("refund", "1", "refunds"),
            ("refund", "c.revenue", "refunded")]
        for when, suffix in [
            ("c.timestamp >= a.since", ""),
            ("c.timestamp < a.since AND c.timestamp >= a.since - INTERVAL 14 DAY", "_before")])  # fmt: skip
    rows = duckdb.execute(
        query.split(", outcomes AS")[0] + f"""
        SELECT a.arm, datediff('day', DATE '1970-01-01', a.since::DATE) AS day, {columns}
        FROM assigned a LEFT JOIN conversions c
        ON c.project_id = a.project_id AND c.user_id = a.user_id AND NOT c.time_corrected
        GROUP BY a.project_id, a.user_id, a.arm, a.since""").fetchnumpy()
    for suffix in ("", "_before"):
        rows[f"purchased{suffix}"] = numpy.minimum(rows[f"purchases{suffix}"], 1)
    return pandas.DataFrame({name: numpy.asarray(column) for name, column in rows.items()})


def is_ratio(metric):
    return metric.endswith("_per_conversion")


def sums(numbers):
    return SampleMeanStatistic(n=len(numbers), sum=int(numbers.sum()), sum_squares=int((numbers**2).sum()))


def statistics(metric, arms, is_adjusted):
    """The two arms for gbstats."""
    pair = []
    for rows in arms:
        amount, companion = (rows[column] for column in COLUMNS[metric])
        products = int((amount * companion).sum())
        if is_ratio(metric):
            pair.append(RatioStatistic(len(rows), sums(amount), sums(companion), products))
        elif is_adjusted:
            pair.append(RegressionAdjustedStatistic(len(rows), sums(amount), sums(companion), products, theta=0))
        else:
            pair.append(
                ProportionStatistic(len(rows), int(amount.sum())) if metric.endswith("unique") else sums(amount))
    if is_adjusted:
        pair[0].theta = pair[1].theta = compute_theta(*pair)
    return pair


def width(alpha):
    return -2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))


def looks(metric, arms, days, alpha, kind, is_adjusted):
    """What gbstats says after each day: the estimate with the interval of all days so far, and the least p-value."""
    low, high, p = -math.inf, math.inf, 1
    # Sequences of secondary metrics have the shape of one of 5 %, so that p-values do not depend on the level.
    planned = PLANNED * (1 if metric.startswith(PRIMARY) else width(alpha) / width(0.05))
    config = SequentialConfig(alpha=alpha, difference_type=kind, sequential_tuning_parameter=planned)
    for day in days:
        pair = statistics(metric, [rows[rows.day <= day] for rows in arms], is_adjusted)
        result = SequentialTwoSidedTTest(*pair, config).compute_result()
        low, high, p = max(low, result.ci[0]), min(high, result.ci[1]), min(p, result.p_value)
        yield [min(max(result.expected, low), high), low, high, p]


def estimate(found, *others):
    return [found["value"], found["low"], found["high"], *others]


def compare_with_gbstats(what, metric, found, arms, alpha):
    days = [look["day"] for look in found["looks"]]
    kind, is_adjusted = "relative" if found["isRelative"] else "absolute", "explainedVariance" in found
    expected = [*looks(metric, arms, days, alpha, kind, is_adjusted)]
    same(f"{what}: looks", [estimate(look["effect"], look["p"]) for look in found["looks"]], expected)
    same(f"{what}: p", found["p"], expected[-1][3])
    *_, difference = looks(metric, arms, days, alpha, "absolute", is_adjusted)
    same(f"{what}: difference", estimate(found["difference"]), difference[:3])
    if kind == "relative":
        same(f"{what}: lift", estimate(found["lift"]), expected[-1][:3])
    pair = statistics(metric, arms, is_adjusted)
    fixed = TwoSidedTTest(*pair, FrequentistConfig(alpha=alpha, difference_type=kind)).compute_result()
    same(f"{what}: Welch", estimate(found["fixedHorizon"], found["fixedHorizonP"]),
         [fixed.expected, *fixed.ci, fixed.p_value])  # fmt: skip
    if "pBefore" in found:
        *_, before = looks(f"{metric} before", arms, days, alpha, "absolute", False)
        same(f"{what}: before", found["pBefore"], before[3])
    if is_adjusted:
        plain = statistics(metric, arms, False)
        same(f"{what}: variance", found["explainedVariance"], 1 - pair[0].variance / plain[0].variance)
        if kind == "relative":
            *_, lift = looks(metric, arms, days, alpha, kind, False)
            same(f"{what}: unadjusted", estimate(found["unadjustedLift"]), lift[:3])


def compare_with_tea_tasting(what, metric, found, rows, arms, alpha):
    """Absolute differences: its relative ones are defined on another scale."""
    options = {"confidence_level": 1 - alpha, "equal_var": False, "use_t": True}
    control, treatment = arms
    if not found["isRelative"]:
        opinion = tea_tasting.RatioOfMeans if is_ratio(metric) else tea_tasting.Mean
        result = opinion(*METRICS[metric], **options).analyze(rows, control, treatment, "arm")
        same(
            f"{what}: tea-tasting", estimate(found["fixedHorizon"], found["fixedHorizonP"]),
            [result.effect_size, result.effect_size_ci_lower, result.effect_size_ci_upper, result.pvalue])  # fmt: skip


def compare(found, rows):
    """Compares every comparison with the other programs, and with the effects that were simulated."""
    control, *treatments = found["arms"]
    expect([metric["name"] for metric in found["metrics"]] == [*METRICS], "other metrics")
    adjusted = [each["adjustedP"] for metric in found["metrics"][1:] for each in metric["comparisons"]]
    # The rate of Benjamini and Hochberg, 10 %, for those of all comparisons that it calls significant.
    level = 0.1 * max(1, sum(p <= 0.1 for p in adjusted)) / len(adjusted)
    for metric in found["metrics"]:
        name = metric["name"]
        kinds = {comparison["isRelative"] for comparison in metric["comparisons"]}
        expect(kinds == {name.startswith("purchase")}, f"{name}: is relative: {kinds}")
        for arm, comparison in zip(treatments, metric["comparisons"], strict=True):
            what = f"{name} of {arm['key']}"
            alpha = 0.05 / len(treatments) if metric["isPrimary"] else level
            same(f"{what}: confidence", metric["confidence"], 1 - alpha)
            pair = [rows[rows.arm == each["id"]] for each in (control, arm)]
            compare_with_gbstats(what, name, comparison, pair, alpha)
            compare_with_tea_tasting(what, name, comparison, rows, (control["id"], arm["id"]), alpha)
            truth = 0 if is_ratio(name) or name.startswith("refund") else EFFECTS[arm["key"]]
            shown = comparison["lift" if comparison["isRelative"] else "difference"]
            called = comparison["adjustedP"] <= (0.05 if metric["isPrimary"] else 0.1)
            expect(called == comparison["isSignificant"] == (shown["low"] > 0 or shown["high"] < 0), f"{what}: {shown}")
            expect(shown["low"] <= truth <= shown["high"], f"{what}: {shown} does not cover {truth}")
    expect(found["state"] == "better", found["verdict"])


def main():
    arguments = support.options(__doc__, visitors=100_000, seed=1)
    random.seed(arguments.seed)
    with support.workspace() as folder:
        project = folder / "flags.yaml"
        project.write_text(PROJECT)
        subprocess.run([TURNOUT, "compile", project], check=True, stdout=subprocess.DEVNULL)
        entries, crossed, wrong = completed(simulate(project, arguments.visitors))
        found = serve(folder, project, entries)
        counted = sum(arm["visitors"] for arm in found["arms"])
        left_out = {each["reason"]: sum(each["counts"]) for each in found["leftOut"]}
        expect(counted == arguments.visitors - crossed, f"{counted} visitors, and {crossed} crossed")
        expect(left_out == {"crossed": crossed}, f"left out: {left_out}, {crossed} crossed")
        for metric in found["metrics"][:3]:
            expect(sum(metric["corrected"]) == wrong, f"{metric['corrected']} corrected, not {wrong}")
        expect(not found["ratio"]["isOff"], f"the ratio is off: {found['ratio']}")
        compare(found, users(query_page(folder, found)))
    print(
        f"{len(entries):,} events of {counted:,} visitors: the same results twice, late and relayed as once; "
        f"{same.count} numbers equal those of DuckDB, gbstats and tea-tasting")


main()
