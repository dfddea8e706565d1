"""The pages of the console in a browser: accessible, narrow and wide, light and dark, with and without a script.

A checkout with the sample shop is served, simulated visitors make results, and chromium opens every page as people do.
--pictures FOLDER keeps a screenshot of each page.
"""

import base64
import html
import json
import os
import re
import shutil
import threading
import time
import subprocess
import urllib.parse
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from support import ROOT, TURNOUT, Server, check, expect, options, report, wait, workspace

WIDTHS, THEMES = (390, 1024, 1440), ("light", "dark")
AXE = next((ROOT / ".build/browser/lib").glob("python*/site-packages/axe_playwright_python/axe.min.js"), None)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SCOPES = ("read", "flags", "events", "users")
SHOP = ROOT / "Examples/Shop"
HOSTILE = ("<script>document.title='x'</script>\u202eevil\u0301\u0301\"' & " + "long" * 256)[:960]


class Browser(webdriver.Chrome):
    """Chromium, controlled as a person would use it."""

    def __init__(self):
        settings = webdriver.ChromeOptions()
        settings.binary_location = shutil.which("chromium")
        settings.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--lang=en", "--disable-dev-shm-usage"):
            settings.add_argument(flag)
        super().__init__(settings, Service(shutil.which("chromedriver")))
        self.set_page_load_timeout(60)

    def look(self, width=1024, theme="light", has_script=True):
        self.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False})
        self.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": theme}]})
        self.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not has_script})

    def problems(self):
        """What is wrong with the open page: rules that it violates, its width, and messages of the browser."""
        self.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        self.execute_script(AXE.read_text(encoding="utf-8"))
        found = self.execute_async_script("""
            const [rules, done] = arguments;
            axe.run({ runOnly: rules, resultTypes: ["violations"] }).then(done, error => done({ error: `${error}` }));
        """, RULES)
        expect("error" not in found, found.get("error"))
        violations = [f"{each['id']}: {each['nodes'][0]['html'][:200]}: {each['nodes'][0]['failureSummary'][:300]}"
                      for each in found["violations"]]
        excess = self.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
        messages = [entry["message"] for entry in self.get_log("browser")]
        return violations + ([f"{excess} px too wide"] if excess > 0 else []) + messages

    def picture(self, path, is_whole=True):
        shot = self.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": is_whole, "format": "png"})
        path.write_bytes(base64.b64decode(shot["data"]))

    def text(self):
        return self.find_element(By.TAG_NAME, "body").text

    def fill(self, name, value):
        field = self.find_element(By.NAME, name)
        field.clear()
        field.send_keys(value)

    def press(self, label):
        """Presses the button with a label."""
        buttons = [each for each in self.find_elements(By.TAG_NAME, "button") if label in each.text]
        expect(buttons, f"no button {label!r} on {self.current_url}: {self.text()[:2000]}")
        buttons[0].click()


def git(folder, *arguments):
    identity = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@shop.example", "GIT_COMMITTER_NAME": "Ada",
                "GIT_COMMITTER_EMAIL": "ada@shop.example", "GIT_CONFIG_GLOBAL": "/dev/null"}
    subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True, env=os.environ | identity)


def turnout(*arguments, folder=None):
    return subprocess.run(
        [TURNOUT, *map(str, arguments)], check=True, capture_output=True, text=True, cwd=folder).stdout


def checkout(folder, content=None):
    """A repository with a project file, which was changed once."""
    folder.mkdir()
    shop = (SHOP / "flags.yaml").read_text(encoding="utf-8")
    (folder / "flags.yaml").write_text(content or shop, encoding="utf-8")
    if not content:
        shutil.copy(SHOP / "turnout.lock", folder)
    git(folder, "init", "--initial-branch=main")
    turnout("compile", folder=folder)
    git(folder, "add", ".")
    git(folder, "commit", "--message", "Start with the shop")
    if not content:
        turnout("set", "dark_mode.rules.dark_ramp.traffic", "50%", folder=folder)
        turnout("compile", folder=folder)
        git(folder, "commit", "--all", "--message", "Show the dark theme to more users")
    return folder / "flags.yaml"


def tokens(path):
    """A file with a token for each scope, and one for all. Returns the tokens by name."""
    scopes = {each: each for each in SCOPES} | {"all": ",".join(SCOPES)}
    new = lambda name, scope: turnout("token", "new", "--name", name, "--scope", scope, "--file", path)
    return {name: re.search(r"[\w-]{30,}", new(name, scope))[0] for name, scope in scopes.items()}


class Session:
    """A person without a browser: cookies and forms."""

    def __init__(self, server, token=None):
        self.server, self.cookie, self.form_token = server, "", ""
        if token:
            status, headers, _ = self.request("POST", "sign-in", {"token": token})
            expect(status == 303, f"signing in: {status}")
            self.cookie = headers["Set-Cookie"].split(";")[0]

    def request(self, method, path, fields=None, headers=None):
        body = urllib.parse.urlencode(fields or {}, doseq=True)
        connection = self.server.connect()
        connection.request(method, path if path.startswith("/") else "/console/" + path, body if fields else None, {
            "Cookie": self.cookie, "Content-Type": "application/x-www-form-urlencoded"} | (headers or {}))
        response = connection.getresponse()
        content = response.read().decode()
        connection.close()
        if found := re.search(r'name="form_token" value="([^"]*)"', content):
            self.form_token = found[1]
        return response.status, response.headers, content

    def status(self, method, path, **options):
        return self.request(method, path, **options)[0]

    def send(self, path, **fields):
        return self.request("POST", path, {"form_token": self.form_token} | fields)


def find_problems(browser, address, pictures, flag="checkout_redesign", size=""):
    """Each page in each theme, at each width, with and without a script."""
    def decide():
        browser.fill("user", "ada")
        browser.press("Explain")
        wait("the decisions", lambda: "Try another value" in browser.page_source)

    def change():
        browser.execute_script("for (const each of document.querySelectorAll('details')) each.open = true")
        browser.press("Show what it means")
        wait("the proposal", lambda: "What it means" in browser.page_source)

    pages = {
        "flags": ("", None), "flag": (f"flags/{flag}", None), "why": ("users", decide),
        "change": (f"flags/{flag}/change", None), "proposal": (f"flags/{flag}/change", change),
        "results": ("experiments", None), "live": ("live", None), "changes": ("changes", None),
        "health": ("health", None),
    }
    if not size:
        pages |= {"result": ("experiments/checkout_test", None), "sign-in": ("sign-in", None)}
    for name, (path, action) in pages.items():
        for theme in THEMES:
            for width in WIDTHS:
                for has_script in (True, False):
                    browser.look(width, theme, has_script)
                    browser.get(f"{address}/console/{path}")
                    if action:
                        action()
                    place = f"{name}{size}, {theme}, {width} px, {'with' if has_script else 'without'} script"
                    problems = browser.problems()
                    # The page for signing in has the status 401, which chromium notes.
                    problems = [each for each in problems if not (name == "sign-in" and "401" in each)]
                    yield check(place, problems, [])
                    if pictures and has_script:
                        browser.picture(pictures / f"{name}{size}-{theme}-{width}.png")
                    if pictures and (name, width) == ("result", 1024):
                        # As in README.md.
                        browser.picture(pictures / f"console-{theme}.png", is_whole=False)


def change_flags(browser, server, file):
    """A kill with the keyboard alone; two editors, a checkout in between; comments stay."""
    text = lambda: file.read_text(encoding="utf-8")
    original = text()
    page = "flags/dark_mode/change"
    browser.look()
    browser.get(f"{server.address}/console/")
    keys = lambda *keys: webdriver.ActionChains(browser).send_keys(*keys).perform()
    active = lambda: browser.switch_to.active_element
    keys("/")
    yield check("the key for the search field", active().get_attribute("type"), "search")
    keys("dark", Keys.ENTER)
    wait("the filter", lambda: "q=dark" in browser.current_url)

    def tab_to(label):
        for _ in range(60):
            keys(Keys.TAB)
            if active().tag_name == "body":
                continue
            outline = active().value_of_css_property("outline-style")
            expect(outline != "none", f"no visible focus on {active().get_attribute('outerHTML')[:200]}")
            if active().tag_name in ("a", "button", "summary") and label in active().text:
                return
        expect(False, f"the keyboard does not reach {label!r} on {browser.current_url}")

    def follow(label):
        tab_to(label)
        page = browser.find_element(By.TAG_NAME, "html").id
        keys(Keys.ENTER)
        wait(f"the page after {label}", lambda: browser.find_element(By.TAG_NAME, "html").id != page)

    for action, typed in [
        ("Traffic", {"value": "55%"}), ("Status", {"value": "paused"}), ("Stop the experiment", {}),
        ("Roll out the winner", {"variation": "one_page"}), ("Allow list", {"add": "zoe", "variation": "one_page"}),
    ]:
        browser.get(f"{server.address}/console/")
        follow("checkout_redesign"), follow("Change demo")
        tab_to(action), keys(Keys.ENTER)
        for name, value in typed.items():
            keys(Keys.TAB)
            expect(active().get_attribute("name") == name, f"after {action}: {active().get_attribute('outerHTML')}")
            if active().tag_name == "input":
                webdriver.ActionChains(browser).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
            keys(value)
        follow("Show what it means")
        expect("The patch" in browser.text(), f"{action} with the keyboard: {browser.text()}")
    browser.get(f"{server.address}/console/?q=dark")
    follow("dark_mode"), follow("Change demo")
    tab_to("Turn off"), keys(Keys.ENTER)
    follow("Show what it means")
    yield check("what turning off means", "turned off" in browser.text(), True)
    field = browser.find_element(By.NAME, "message")
    while active() != field:
        keys(Keys.TAB)
    keys("It is too dark")
    follow("Change demo")
    wait("the change", lambda: "enabled: false" in text())
    removed = [line for line in original.splitlines() if line.strip().startswith("#") and line not in text()]
    yield check("comments that are gone", removed, [])
    changes = Session(server).request("GET", "changes")[2]
    yield check("the list of changes", "It is too dark" in changes and "Show the dark theme" in changes, True)

    ada, grace = Session(server), Session(server)
    form = lambda session: re.search(r'name="tag" value="([^"]*)"', session.request("GET", page)[2])[1]
    fields = {"change": "traffic", "environment": "demo", "rule": "dark_ramp", "step": "confirm", "message": "more"}
    tags = form(ada), form(grace)
    yield check("the first editor", ada.send(page, **fields, tag=tags[0], value="60%")[0] in (200, 303), True)
    status, _, second = grace.send(page, **fields, tag=tags[1], value="70%")
    found = status, "60%" in second, "70%" in second, "60%" in text()
    yield check("the second editor", found, (409, True, True, True))
    tag = form(grace)
    git(file.parent, "checkout", "--", ".")
    status = grace.send(page, **fields, tag=tag, value="70%")[0]
    yield check("a checkout between form and confirmation", (status, text() == original), (409, True))


def compare_with_commands(server, file):
    """Who moves as `turnout impact` says it, and results as `turnout results` prints them."""
    session = Session(server)
    users = file.parent / "users.ndjson"
    users.write_text(session.request("GET", "/users/seen")[2], encoding="utf-8")
    tag = re.search(r'name="tag" value="([^"]*)"', session.request("GET", "flags/dark_mode/change")[2])[1]
    page = session.send("flags/dark_mode/change", change="traffic", environment="demo", rule="dark_ramp", value="80%",
                        tag=tag)[2]
    before = file.parent / "before.json"
    before.write_text(server.get("/datafiles/ShopDemoSdkKey.json"), encoding="utf-8")
    turnout("set", "dark_mode.rules.dark_ramp.traffic", "80%", folder=file.parent)
    turnout("compile", folder=file.parent)
    impact = subprocess.run([TURNOUT, "impact", before, "datafiles/demo.json", "--users", users, "-o", "json"],
                            capture_output=True, text=True, cwd=file.parent)
    found = json.loads(impact.stdout)
    git(file.parent, "checkout", "--", ".")
    moved, seen = found["moved"]["users"], found["users"]
    sentence = f"{moved:,} of {seen:,} users"
    yield check("who moves", sentence in html.unescape(re.sub("<[^>]*>", "", page)), True)
    route = json.loads(server.get("/results/checkout_test"))
    command = json.loads(turnout("results", "checkout_test", "--server", server.address, "-o", "json"))
    yield check("results", command, route)
    page = html.unescape(re.sub("<[^>]*>", " ", session.request("GET", "experiments/checkout_test")[2]))
    yield check("the verdict", route["verdict"] in " ".join(page.split()), True)


def try_roles(server, made):
    """Each page with each scope and with none; a stolen cookie; an ended session keeps the form."""
    needed = {"": "read", "flags/dark_mode": "read", "experiments": "read", "health": "read", "changes": "read",
              "users": "events", "live": "events", "flags/dark_mode/change": "flags"}
    for name in [None, *SCOPES]:
        session = Session(server, made[name] if name else None)
        found = {page: session.status("GET", page) for page in needed}
        expected = {page: 401 if name is None else 200 if scope == name else 403 for page, scope in needed.items()}
        yield check(f"pages with the scope {name}", found, expected)
        sent = {page: session.send(page, user="ada", environment="demo")[0]
                for page in ("users", "live", "flags/dark_mode/change")}
        yield check(f"forms with the scope {name}", sent, {page: expected[page] for page in sent})
    session = Session(server, made["all"])
    page = session.request("GET", "users")[2]
    fields = {"form_token": session.form_token, "user": "ada", "environment": "demo"}
    stolen = session.request("POST", "users", fields, {"Origin": "https://attacker.example"})[0]
    yield check("a form of another site", stolen, 403)
    yield check("a form without its secret", session.request("POST", "users", fields | {"form_token": "x"})[0], 403)
    yield check("the form", "form_token" in page and session.request("POST", "users", fields)[0], 200)
    session.cookie = "turnout=ended"
    status, _, kept = session.request("POST", "users", fields)
    answer = session.request("POST", "sign-in", {
        "token": made["all"], "then": "/console/users", "kept": html.unescape(
            re.search(r'name="kept" value="([^"]*)"', kept)[1])})
    yield check("an ended session keeps the form", (status, answer[0], 'value="ada"' in answer[2]), (401, 200, True))


def try_hostile_names(browser, folder):
    """Names that would be markup, in every place that shows them."""
    # A file is named by its environment.
    name, environment = json.dumps(HOSTILE), json.dumps(HOSTILE.replace("/", "")[:60])
    file = checkout(folder, f"""
project: "1"
environments:
  {environment}: {{sdk_key: hostile}}
attributes: [{name}]
events: [{name}]
flags:
  {name}:
    description: {name}
    variations: {{{name}: {{}}}}
    rules:
      - experiment: {name}
        audience: {{{name}: {name}}}
        split: {{{name}: 50, "off": 50}}
        allow_list: {{{name}: [{name}]}}
        metrics: [{json.dumps(HOSTILE + ".unique")}]
    else: {name}
""")
    server = Server(folder / "served", flags=file)
    with server.running("--set", "access.local_management=true"):
        flag = urllib.parse.quote(HOSTILE, safe="")
        body = json.dumps({"visitors": [{"visitor_id": HOSTILE + "\0", "snapshots": [{"events": [
            {"key": HOSTILE, "timestamp": 1, "uuid": "1", "entity_id": "1"}]}]}], "project_id": "1", "account_id": "1",
            "client_name": HOSTILE, "client_version": HOSTILE})
        connection = server.connect()
        connection.request("POST", "/v1/events", body, {"Content-Type": "application/json"})
        yield check("hostile events", connection.getresponse().status, 204)
        server.wait_until_processed()
        for path in ("", f"flags/{flag}", f"flags/{flag}/change", "users", "experiments", f"experiments/{flag}",
                     "live", "changes", "health"):
            browser.look(390)
            browser.get(f"{server.address}/console/{path}")
            yield check(f"hostile names on {path[:20]}", (browser.problems(), "Turnout" in browser.title), ([], True))


def delay_of_decisions(server):
    """The 99th percentile of decisions alone, and while ten people read a page each second, in milliseconds."""
    def percentile(readers=0):
        stopped = []

        def read():
            while not stopped:
                Session(server).request("GET", "")
                time.sleep(1)

        threads = [threading.Thread(target=read) for _ in range(readers)]
        for thread in threads:
            thread.start()
        connection, times = server.connect(), []
        for number in range(4_000):
            start = time.perf_counter()
            connection.request("POST", "/v1/decide?keys=flag_0001", json.dumps({"userId": f"user-{number}"}), {
                "X-Optimizely-SDK-Key": "production", "Content-Type": "application/json"})
            connection.getresponse().read()
            times.append(time.perf_counter() - start)
        stopped.append(True)
        for thread in threads:
            thread.join()
        return sorted(times)[len(times) * 99 // 100] * 1_000

    alone, beside = percentile(), percentile(10)
    print(f"  decisions, p99: {alone:.2f} ms alone, {beside:.2f} ms beside ten readers", flush=True)


def measure(browser, folder, pictures):
    """A thousand flags in three environments: the sizes of pages, and the processor time of each."""
    flags = "".join(f"""
  flag_{number:04}:
    description: Flag number {number}
    variations: {{"on": {{}}}}
    rules:
      - delivery: ramp_{number}
        serve: "on"
        traffic: {number % 100}%
""" for number in range(1_000))
    environments = "".join(f"\n  {each}: {{sdk_key: {each}}}" for each in ("development", "staging", "production"))
    file = checkout(folder, f'project: "1"\nenvironments:{environments}\nflags:{flags}')
    server = Server(folder / "served", flags=file)
    with server.running("--set", "access.local_management=true"):
        def processor():
            fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) * 1_000 / os.sysconf("SC_CLK_TCK")

        session = Session(server)
        for name, path in [("the list", ""), ("a flag", "flags/flag_0500"), ("health", "health")]:
            content = session.request("GET", path)[2]
            before = processor()
            for _ in range(20):
                session.request("GET", path)
            used = (processor() - before) / 20
            print(f"  {name} of 1,000 flags: {len(content):,} bytes, {used:.1f} ms of the processor", flush=True)
            # Times are not asserted: on a busy machine a page takes longer. The figures are in Benchmarks/FINDINGS.md.
            yield check(f"the size of {name}", len(content) <= 200_000, True)
        delay_of_decisions(server)
        yield from find_problems(browser, server.address, pictures, "flag_0500", "-of-1000")
    one = checkout(folder / "one", """
project: "1"
environments: {production: {sdk_key: one}}
flags: {one: {variations: {"on": {}}, else: "on"}}
""")
    server = Server(folder / "one/served", flags=one)
    with server.running("--set", "access.local_management=true"):
        yield from find_problems(browser, server.address, pictures, "one", "-of-1")


def main():
    chosen = options(__doc__, pictures=None)
    expect(AXE, "axe is missing: run Scripts/setup")
    pictures = Path(chosen.pictures) if chosen.pictures else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    results = []
    with workspace() as folder, Browser() as browser:
        file = checkout(folder / "shop")
        server = Server(folder / "served", flags=file)
        with server.running("--set", "access.local_management=true", "--set", "console.editing=file"):
            turnout("simulate", file, "--server", server.address, "--event", "purchase", "--effect", "one_page=+30%")
            server.wait_until_processed()
            results += compare_with_commands(server, file)
            results += find_problems(browser, server.address, pictures)
            results += change_flags(browser, server, file)
        made = tokens(folder / "tokens.yaml")
        with server.running("--token-file", folder / "tokens.yaml"):
            results += try_roles(server, made)
        results += try_hostile_names(browser, folder / "hostile")
        results += measure(browser, folder / "large", pictures)
    report(results, "the console")


if __name__ == "__main__":
    main()
