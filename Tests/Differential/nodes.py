"""Proves a hub and spokes behind HAProxy and nginx: under load, spokes are killed, frozen and restarted, then the hub.

Every client sends a request once; the load balancers repeat it once, at another node. Nothing may fail, and each event
that was acknowledged must be at the hub, once.
"""

import contextlib
import http.client
import json
import os
import re
import signal
import threading
import time
import uuid
from pathlib import Path

import support
from support import expect, free_port

KEY, USERS = "shop", 300
PROJECT = """
project: shop
environments: {{production: {{sdk_key: shop}}}}
events: [purchase]
segments:
  {{public_key: shop-segments, define: {{vip: {{members: [user 1, user 2]}}, buyers: {{rule: {{event: purchase}}}}}}}}
flags:
  color: {{variables: {{n: 0}}, variations: {{on: {{variables: {{n: {number}}}}}}}, else: on}}
  banner:
    variations: {{off: {{}}, points: {{}}, gift: {{}}}}
    rules: [{{bandit: banner_bandit, split: [points, gift], metrics: [purchase.unique]}}]
    else: off
"""
HAPROXY = Path(__file__).parents[2] / "Examples/Deploy/haproxy.cfg"
NGINX = """
daemon off; master_process off; error_log stderr; pid nginx.pid; events {{}}
http {{
    access_log off; proxy_temp_path proxy; client_body_temp_path body; fastcgi_temp_path f; uwsgi_temp_path u;
    scgi_temp_path s; upstream nodes {{ {nodes} }}
    server {{ listen 127.0.0.1:{port}; location / {{
        proxy_pass http://nodes; proxy_set_header Host $host; proxy_connect_timeout 500ms; proxy_read_timeout 1s;
        proxy_next_upstream error timeout http_503 non_idempotent; proxy_next_upstream_tries 2; }} }}
}}
"""


def request(port, path, body=None, connection=None, **headers):
    """The status and the content of a response."""
    connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers |= {"Content-Type": "application/json", "X-Optimizely-SDK-Key": KEY}
    connection.request("POST" if body else "GET", path, body and json.dumps(body), headers)
    response = connection.getresponse()
    return response.status, response.read()


def decide(port, flag, user="user 0", connection=None):
    status, content = request(port, f"/v1/decide?keys={flag}", {"userId": user}, connection)
    if status != 200:
        raise ValueError(f"a decision failed with status {status}")
    return json.loads(content)


def segments(node, user):
    query = 'query {customer(fs_user_id: "%s") {audiences(subset: ["vip","buyers"]) {edges {node {name state}}}}}'
    return request(node.port, "/v3/graphql", {"query": query % user}, **{"x-api-key": "shop-segments"})


class Client(threading.Thread):
    """Decides for users and sends their purchases through a load balancer, and remembers what failed."""

    acknowledged, failures, waits, ends = set(), [], [], threading.Event()

    def __init__(self, port, project):
        super().__init__(daemon=True)
        self.port, self.project, self.steps = port, project, 0
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)

    def run(self):
        while not self.ends.is_set():
            self.steps += 1
            begin = time.monotonic()
            try:
                self.step(f"user {self.steps % USERS}")
            except (OSError, http.client.HTTPException, ValueError) as error:
                self.failures.append(f"{self.port}: {error!r}")
                # The next request opens it again.
                self.connection.close()
            self.waits.append(time.monotonic() - begin)
            self.ends.wait(0.01)

    def step(self, user):
        # The bandit learns that `gift` is better.
        variation = decide(self.port, "banner", user, self.connection)["variationKey"]
        if variation == "off":
            raise ValueError("the bandit does not decide")
        if variation == "gift":
            body, identifier = event(self.project, user)
            status, _ = request(self.port, "/v1/events", body, self.connection)
            if status != 204:
                raise ValueError(f"an event failed with status {status}")
            self.acknowledged.add(identifier)


def event(project, user):
    """The body of a request with a purchase, and its uuid."""
    identifier = str(uuid.uuid4())
    body = json.loads(support.event_body([identifier], 0))
    body["visitors"][0]["visitor_id"] = user
    return body | {"project_id": project["projectId"]}, identifier


class Nodes:
    """A hub, three spokes and two load balancers."""

    def __init__(self, folder):
        self.folder, self.number = folder, 0
        self.edit()
        self.hub = support.Server(folder / "hub", folder / "flags.yaml")
        self.hub_options = ["--set", "access.local_management=true", "--set", "public_address=http://127.0.0.1:9"]
        self.hub.start(*self.hub_options, port=free_port())
        redis = free_port()
        support.start("redis-server", "--port", redis, "--save", "", "--dir", folder, stdout=-3)
        support.wait("Redis", lambda: not os.system(f"redis-cli -p {redis} ping > /dev/null 2>&1"))
        self.spoke_options = ["--profiles", f"redis://127.0.0.1:{redis}", "--set", "shutdown.delay=1s",
                              "--set", "access.local_management=true"]
        self.spokes = [support.Server(folder / f"spoke{number}") for number in range(3)]
        for spoke in self.spokes:
            spoke.source = ["--hub", self.hub.address]
            spoke.port = free_port()
            self.start(spoke)
        haproxy, nginx = free_port(), free_port()
        ports = [spoke.port for spoke in self.spokes]
        nodes = "".join(f"server 127.0.0.1:{port} max_fails=1 fail_timeout=1s;" for port in ports)
        self.balance(haproxy, self.haproxy(haproxy, ports), "haproxy", "-f")
        self.balance(nginx, NGINX.format(port=nginx, nodes=nodes), "nginx", "-p", folder, "-c")
        self.balancers = [haproxy, nginx]

    @staticmethod
    def haproxy(port, spokes):
        """The file for users, with the ports of this machine."""
        def servers(match):
            lines = (match[1].replace("spoke1", f"spoke{number}").replace("8081", str(each))
                     for number, each in enumerate(spokes))  # fmt: skip
            return "".join(lines)
        text = HAPROXY.read_text("utf-8").replace("bind :8080", f"bind 127.0.0.1:{port}")
        return re.sub(r"( +server spoke1 .*\n) +server spoke2 .*\n", servers, text)

    def start(self, spoke):
        spoke.start(*self.spoke_options, port=spoke.port)
        support.wait("a spoke", lambda: answers(spoke.port, "/ready"))

    def edit(self):
        """Changes the flag `color`. Returns its new number."""
        self.number += 1
        temporary = self.folder / "flags.new"
        temporary.write_text(PROJECT.format(number=self.number), encoding="utf-8")
        os.replace(temporary, self.folder / "flags.yaml")
        return self.number

    def wait_for_edit(self, spokes):
        """The time until all spokes decide with the last edit."""
        begin = time.monotonic()
        for spoke in spokes:
            support.wait("an edit", lambda spoke=spoke: decide(spoke.port, "color")["variables"]["n"] == self.number)
        return time.monotonic() - begin

    def balance(self, port, configuration, name, *options):
        """Starts a load balancer."""
        path = self.folder / f"{name}.conf"
        path.write_text(configuration, encoding="utf-8")
        support.Program(self.folder / "log", f"/usr/sbin/{name}", *options, path)
        support.wait("a load balancer", lambda: answers(port))


def answers(port, path="/health"):
    with contextlib.suppress(OSError, http.client.HTTPException):
        return request(port, path)[0] == 200


@contextlib.contextmanager
def phase(title):
    """Prints what clients saw during a part of the proof, which may see no failure."""
    failed, waited, begin = len(Client.failures), len(Client.waits), time.monotonic()
    yield
    waits, failures, seconds = sorted(Client.waits[waited:]), Client.failures[failed:], time.monotonic() - begin
    print(f"{title:<46}{len(waits):>8}{len(failures):>8}{1000 * waits[len(waits) // 2]:>11.1f}"
          f"{1000 * waits[-1]:>11.0f}{seconds:>9.0f}", flush=True)  # fmt: skip
    expect(not failures and len(waits) > 20, f"{title}: {len(waits)} steps, {failures[:5]}")


def edits(nodes, count):
    times = []
    for _ in range(count):
        nodes.edit()
        times.append(nodes.wait_for_edit(nodes.spokes))
        time.sleep(0.3)
    print(f"{count} edits: ms until three spokes have one:", *(round(1000 * each) for each in sorted(times)))
    expect(max(times) <= 0.5, "an edit takes too long")


def faults(nodes, seconds):
    """What happens to the nodes under load."""
    first, second, third = nodes.spokes
    print(f"{'under load':<46}{'steps':>8}{'failed':>8}{'median ms':>11}{'longest ms':>11}{'seconds':>9}")
    with phase("three spokes"):
        time.sleep(5)
    with phase("a spoke is killed, and started 3 s later"):
        first.kill()
        time.sleep(3)
        nodes.start(first)
        time.sleep(1)
    with phase("a spoke is frozen for 5 s"):
        second.process.send_signal(signal.SIGSTOP)
        time.sleep(5)
        second.process.send_signal(signal.SIGCONT)
        time.sleep(1)
    with phase("rolling restart with new flags"):
        nodes.edit()
        for spoke in nodes.spokes:
            expect(spoke.stop() == 0, "a spoke does not end well")
            nodes.start(spoke)
            nodes.wait_for_edit([spoke])
    with phase(f"the hub is killed for {seconds} s"):
        known = segments(third, "user 1")
        nodes.hub.kill()
        time.sleep(seconds / 2)
        # A spoke starts from its copy.
        expect(first.stop() == 0, "a spoke does not end well without its hub")
        nodes.start(first)
        time.sleep(seconds / 2)
        expect(segments(third, "user 1") == known, "the last segments are not kept")
        status = json.loads(first.get("/status"))["hub"]
        expect(not status["isReached"] and status["ageSeconds"] > 0, f"the status of a spoke without hub: {status}")
        nodes.hub.start(*nodes.hub_options, port=nodes.hub.port)


def agree(nodes, project):
    """The checks that all nodes say the same."""
    rule = next(each["id"] for each in project["experiments"] if each["key"] == "banner_bandit")
    weights = lambda node: [each["weight"] for each in json.loads(node.get(f"/predict/{rule}"))["variations"]]
    expected = weights(nodes.hub)
    expect(max(expected) > 0.9, f"the bandit has learned nothing: {expected}")
    bodies = [{"instances": [{"visitorId": f"user {number}", "experimentId": rule}]} for number in range(USERS)]
    predict = lambda node, body: request(node.port, f"/predict/{rule}", body)
    expect(b'"qualified"' in segments(nodes.hub, "user 1")[1], "nobody is in a segment")
    for node in nodes.spokes:
        support.wait("the same weights", lambda node=node: weights(node) == expected, 10, step=0.1)
        for body in bodies:
            expect(predict(node, body) == predict(nodes.hub, body), "another variation")
        for user in ("user 1", "user 2", "user 200", "x"):
            expect(segments(node, user) == segments(nodes.hub, user), f"other segments of {user}")
    print(f"weights {expected}, the variations of {USERS} users and their segments are the same on four nodes")


def main():
    arguments = support.options(__doc__, gone=20, edits=10)
    with support.workspace() as folder:
        nodes = Nodes(folder)
        edits(nodes, arguments.edits)
        project = json.loads(nodes.hub.get(f"/datafiles/{KEY}.json"))
        clients = [Client(port, project) for port in nodes.balancers for _ in range(2)]
        for client in clients:
            client.start()
        faults(nodes, arguments.gone)
        Client.ends.set()
        for client in clients:
            client.join(30)
        twins = [event(project, f"user {number}") for number in range(50)]
        for body, _ in twins:
            for spoke in nodes.spokes[:2]:
                expect(request(spoke.port, "/v1/events", body)[0] == 204, "an event is refused")
        acknowledged = Client.acknowledged | {identifier for _, identifier in twins}
        for node in [*nodes.spokes, nodes.hub]:
            node.wait_until_processed()
        agree(nodes, project)
        exported = nodes.hub.exported()
        missing, twice = support.differences(acknowledged, exported)
        expect(not missing and not twice, f"{len(missing)} events are missing, and {len(twice)} are there twice")
    print(f"{len(acknowledged):,} purchases were acknowledged, {len(twins)} of them by two spokes: "
          f"the hub has all of them among {len(exported):,} events, none twice")  # fmt: skip


main()
