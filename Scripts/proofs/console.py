"""The pages of the console in a browser: accessible, narrow and wide, light and dark, with and without a script.

A checkout with the sample shop is served, simulated visitors make results, and chromium opens every page as people do.
--pictures FOLDER keeps a screenshot of each page.
"""

import base64
import contextlib
import html
import json
import os
import re
import shutil
import subprocess
import threading
import time
import urllib.parse
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from support import ROOT, TURNOUT, Server, expect, options, report, wait, workspace

WIDTHS, THEMES = (390, 1024, 1440), ("light", "dark")
AXE = next((ROOT / ".build/browser/lib").glob("python*/site-packages/axe_playwright_python/axe.min.js"), None)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SCOPES = ("read", "flags", "events", "users")
SHOP = ROOT / "Examples/Shop"
HOSTILE = "<script>document.title='x'</script>\u202eevil\u0301\u0301\"' & " + "long" * 40


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
        violations = [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found["violations"]]
        excess = self.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
        messages = [entry["message"] for entry in self.get_log("browser")]
        return violations + ([f"{excess} px too wide"] if excess > 0 else []) + messages

    def picture(self, path):
        shot = self.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "format": "png"})
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
    original = (SHOP / "flags.yaml").read_text(encoding="utf-8")
    (folder / "flags.yaml").write_text(content or original, encoding="utf-8")
    if not content:
        shutil.copy(SHOP / "turnout.lock", folder)
    git(folder, "init", "--initial-branch=main")
    turnout("compile", folder=folder)
    git(folder, "add", "."), git(folder, "commit", "--message", "Start with the shop")
    return folder / "flags.yaml"


def tokens(path):
    """A file with a token for each scope, and one for all. Returns the tokens by name."""
    made = {name: turnout("token", "new", name, "--scope", scopes, "--file", path).strip().splitlines()[-1].split()[-1]
            for name, scopes in [(each, each) for each in SCOPES] + [("all", ",".join(SCOPES))]}
    return made


def pages(browser, address):
    """The addresses of all pages, with what to do on each before it is looked at."""
    def decide():
        browser.fill("user", "ada")
        browser.press("Why")
    return {
        "flags": ("", None), "flag": ("flags/checkout_redesign", None), "users": ("users", decide),
        "experiments": ("experiments", None), "experiment": ("experiments/checkout_test", None),
        "live": ("live", None), "changes": ("changes", None), "health": ("health", None), "sign-in": ("sign-in", None),
    }
