# SPDX-License-Identifier: MIT
"""Drives headless Chromium through its debugging pipe, with nothing but the standard library."""
import base64
import json
import os
import shutil
import subprocess


class Chromium:
    """One browser with one page; remembers errors and requests."""

    def __init__(self, profile):
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        to_browser, self._in = os.pipe()
        self._out, from_browser = os.pipe()

        def place():  # the pipe's ends are to be 3 and 4, whatever they are now
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        command = [program, "--headless=new", "--no-sandbox", "--disable-gpu",
                   "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update",
                   f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"]
        self._process = subprocess.Popen(command, preexec_fn=place, close_fds=False,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._rest, self._number, self._session = b"", 0, None
        self._events = []
        self.errors, self.requests = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target,
                                  flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def close(self):
        self.call("Browser.close")
        self._process.wait()

    def _message(self):
        while b"\0" not in self._rest:
            more = os.read(self._out, 1 << 20)
            if not more:
                raise RuntimeError("the browser has gone")
            self._rest += more
        text, self._rest = self._rest.split(b"\0", 1)
        return json.loads(text)

    def _note(self, message):
        method, params = message.get("method", ""), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.errors.append("console: " + str([a.get("value") for a in params["args"]]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"] + " " + params["entry"].get("url", ""))
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        self._events.append(method)

    def call(self, method, **params):
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._in, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") != self._number:
                self._note(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def wait_for(self, event):
        while event not in self._events:
            self._note(self._message())
        self._events.clear()

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def open(self, address):
        self._events.clear()
        self.call("Page.navigate", url=address)
        self.wait_for("Page.loadEventFired")

    def run(self, script):
        """The value of an expression, or what its promise comes to."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait_until(self, condition):
        """Until an expression holds, looked at whenever the page changes."""
        self.run("""new Promise(done => {
          const look = () => { if (!(%s)) return false; done(); return true; };
          if (look()) return;
          const seen = new MutationObserver(() => { if (look()) seen.disconnect(); });
          seen.observe(document, {subtree: true, childList: true, attributes: true,
                                  characterData: true});
        })""" % condition)

    def key(self, key, text=None, code=None):
        more = {"text": text} if text else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key,
                      windowsVirtualKeyCode={"ArrowDown": 40, " ": 32, "/": 191}.get(key, 0),
                      **(more if kind == "keyDown" else {}))

    def type(self, text):
        self.call("Input.insertText", text=text)

    def screenshot(self, file):
        shot = self.call("Page.captureScreenshot", format="png")
        file.write_bytes(base64.b64decode(shot["data"]))
