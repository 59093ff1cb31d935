"""A headless Chromium driven through chromedriver, with the standard library alone."""

import base64
import json
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

CHROMIUM = "chromium"
DRIVER = "chromedriver"
# As root Chromium needs --no-sandbox; the rest keeps it from talking to anyone but the page.
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--disable-dev-shm-usage", "--force-device-scale-factor=1"]
# How long a busy machine may take over one command.
PATIENCE_S = 300
STARTED = "was started successfully on port "


def missing():
    """What is not installed, as a reason to skip; empty where all is there."""
    lacking = [name for name in (CHROMIUM, DRIVER) if shutil.which(name) is None]
    return f"not installed: {', '.join(lacking)} (scripts/install-packages installs them)" if lacking else ""


class Browser:
    """One browser window. Use as a context manager: it ends the driver, the browser and their files."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="profdb-browser-")
        self.driver = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.base = f"http://127.0.0.1:{self._port()}"
        profile = Path(self.folder.name) / "profile"
        options = {"args": [*ARGUMENTS, f"--user-data-dir={profile}"], "binary": shutil.which(CHROMIUM)}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{answer['sessionId']}"
        self._call("POST", self.session + "/timeouts", {"script": PATIENCE_S * 1000, "pageLoad": PATIENCE_S * 1000})
        return self

    def __exit__(self, *_):
        try:
            self._call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait(timeout=30)
            self.driver.stdout.close()
            self.folder.cleanup()

    def _port(self):
        for line in self.driver.stdout:
            if STARTED in line:
                return int(line.split(STARTED)[1].strip().rstrip("."))
        raise RuntimeError("chromedriver ended before it said its port")

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, method=method,
                                         headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=PATIENCE_S + 60) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()[:2000]}") from error

    def open(self, file):
        self._call("POST", self.session + "/url", {"url": Path(file).resolve().as_uri()})

    def run(self, script, *arguments):
        """Runs a function body in the page; what it returns."""
        return self._call("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        """The same; the body calls its last argument with what it returns."""
        return self._call("POST", self.session + "/execute/async", {"script": script, "args": list(arguments)})

    def cdp(self, command, **parameters):
        """A command of the DevTools protocol."""
        return self._call("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def log(self, kind):
        """What was logged since the last call; kind "browser" (the console) or "performance" (the network)."""
        return self._call("POST", self.session + "/se/log", {"type": kind})

    def requests(self):
        """The addresses that were requested since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]

    def width(self, width, height=900, touch=False):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch)

    def scheme(self, scheme, media=""):
        """scheme "light" or "dark"; media "print" or empty for the screen."""
        self.cdp("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def draw_all(self):
        """Draws every chart, as printing does, instead of waiting for each to come near the screen."""
        self.run("drawAll()")
        self.settle()

    def settle(self):
        """Waits until what was drawn is on the screen."""
        self.run_async("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));")

    def screenshot(self, file, clip):
        """Part of the page; clip: x, y, width, height, scale."""
        shot = self.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        Path(file).write_bytes(base64.b64decode(shot["data"]))

    def pdf(self, file):
        shot = self.cdp("Page.printToPDF", printBackground=False, preferCSSPageSize=True)
        Path(file).write_bytes(base64.b64decode(shot["data"]))
