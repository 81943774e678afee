"""A JupyterHub with two students, run for real on this machine, with the configuration that the book gives a class."""

import importlib.util
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests
from tornado.httpclient import HTTPRequest
from tornado.ioloop import IOLoop
from tornado.websocket import websocket_connect

from tools import ROOT
from tools.hub.start import give

PROXY = Path(sys.prefix) / "node/node_modules/configurable-http-proxy"
PASSWORD = secrets.token_hex(16)
CONFIG = """
load_subconfig({config!r})
c.JupyterHub.bind_url = "http://127.0.0.1:{}"
c.JupyterHub.hub_port = {}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{}"
c.JupyterHub.authenticator_class = "dummy"  # instead of the machine's accounts
c.DummyAuthenticator.password = {password!r}
c.JupyterHub.spawner_class = "simple"  # everybody is this user, with a home of their own
c.SimpleLocalProcessSpawner.home_dir_template = {home!r}
c.Spawner.args.append("--allow-root")  # if this user is root
"""
PATIENCE = 120  # seconds


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def wait_for(what, answer, log: Path):
    """The first answer that is true, asked again and again."""
    begin = time.monotonic()
    while not (found := answer()):
        assert time.monotonic() < begin + PATIENCE, f"no {what}:\n{log.read_text()}"
        time.sleep(0.3)
    return found


class Student:
    """Somebody who has logged in."""

    def __init__(self, hub: str, name: str):
        self.hub, self.name, session = hub, name, requests.Session()
        session.get(f"{hub}/hub/login", timeout=PATIENCE)
        xsrf = {"_xsrf": session.cookies["_xsrf"]}
        session.post(
            f"{hub}/hub/login",
            data={"username": name, "password": PASSWORD, **xsrf},
            timeout=PATIENCE,
        ).raise_for_status()
        tokens = session.post(
            f"{hub}/hub/api/users/{name}/tokens",
            headers={"X-XSRFToken": session.cookies.get_dict(path="/hub/")["_xsrf"]},
            json={},
            timeout=PATIENCE,
        )
        tokens.raise_for_status()
        self.headers = {"Authorization": f"token {tokens.json()['token']}"}

    def ask(self, method: str, address: str, **data) -> requests.Response:
        return requests.request(
            method,
            self.hub + address,
            headers=self.headers,
            timeout=PATIENCE,
            **data,
        )

    def run(self, code: str) -> str:
        """What code prints in a kernel of the student's own."""
        kernels = f"/user/{self.name}/api/kernels"
        kernel = self.ask("POST", kernels, json={"name": "python3"}).json()["id"]
        address = f"{self.hub}{kernels}/{kernel}/channels"

        async def talk():
            channel = await websocket_connect(
                HTTPRequest(address.replace("http", "ws", 1), headers=self.headers)
            )
            header = {"msg_id": "1", "msg_type": "execute_request", "version": "5.3"}
            header |= {"username": "", "session": "s", "date": ""}
            content = {"code": code, "silent": False, "stop_on_error": True}
            message = {"header": header, "parent_header": {}, "metadata": {}}
            message |= {"content": content, "channel": "shell", "buffers": []}
            await channel.write_message(json.dumps(message))
            printed = ""
            while True:
                said = json.loads(await channel.read_message())
                if said["parent_header"].get("msg_id") != "1":
                    continue
                printed += str(said["content"].get("text", ""))
                printed += "".join(said["content"].get("traceback", []))
                if said["content"].get("execution_state") == "idle":
                    return printed

        return IOLoop().run_sync(talk, timeout=PATIENCE)


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """The address of a hub, its log and the folder of the homes."""
    if os.name != "posix" or not importlib.util.find_spec("jupyterhub"):
        pytest.skip("JupyterHub is not installed (it does not run on Windows)")
    if not PROXY.is_dir():
        pytest.skip("no configurable-http-proxy: set up the environment with npm")
    folder = tmp_path_factory.mktemp("hub")
    ports, log = free_ports(3), folder / "log"
    (folder / "config.py").write_text(
        CONFIG.format(
            *ports,
            config=str(ROOT / "tools/hub/jupyterhub_config.py"),
            password=PASSWORD,
            home=str(folder / "homes" / "{username}"),
        )
    )
    address = f"http://127.0.0.1:{ports[0]}"
    with log.open("w") as out:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterhub", "--config", str(folder / "config.py")],
            cwd=folder,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    (folder / "homes").mkdir()

    def up():
        assert server.poll() is None, log.read_text()
        try:
            return requests.get(f"{address}/hub/health", timeout=5).ok
        except requests.ConnectionError:
            return False

    try:
        wait_for("hub", up, log)
        yield address, log, folder / "homes"
    finally:
        server.terminate()  # it stops the students' servers and the proxy
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)


def test_two_students_work_beside_each_other(hub):
    address, log, homes = hub
    ada, bela = students = [Student(address, name) for name in ("ada", "bela")]
    for student in students:  # logging in has started their servers
        status = f"/user/{student.name}/api/status"
        wait_for("server", lambda s=student, a=status: s.ask("GET", a).ok, log)
        files = student.ask("GET", f"/user/{student.name}/api/contents/attention")
        names = {file["name"] for file in files.json()["content"]}
        assert {"04-masked-softmax.ipynb", "results"} <= names and "text" not in names
        code = f"""
from pathlib import Path
import torch
from attnbook.attention import masked_softmax
Path("attention/mine.txt").write_text("{student.name}")
print(Path.cwd().name, masked_softmax(torch.zeros(1, 1, 4), torch.tensor([2])).tolist())
"""
        assert student.run(code) == f"{student.name} [[[0.5, 0.5, 0.0, 0.0]]]\n"
    for student in students:
        theirs = homes / student.name / "attention/mine.txt"
        assert theirs.read_text() == student.name

    # nobody reaches what belongs to somebody else, or is nobody
    elsewhere = "/user/ada/api/contents/attention/mine.txt"
    assert ada.ask("GET", elsewhere).json()["content"] == "ada"
    assert bela.ask("GET", elsewhere).status_code == 403
    assert requests.get(address + elsewhere, timeout=PATIENCE).status_code == 403


def test_a_wrong_password_is_refused(hub):
    session = requests.Session()
    session.get(f"{hub[0]}/hub/login", timeout=PATIENCE)
    data = {"username": "ada", "password": "x", "_xsrf": session.cookies["_xsrf"]}
    answer = session.post(f"{hub[0]}/hub/login", data=data, timeout=PATIENCE)
    assert answer.status_code == 403 and "Invalid username or password" in answer.text


def test_what_a_student_has_is_never_overwritten(tmp_path):
    folder = tmp_path / "attention"
    give(folder)
    chapter = folder / "04-masked-softmax.ipynb"
    assert chapter.read_bytes() == (ROOT / "chapters" / chapter.name).read_bytes()
    chapter.write_text("my work")
    give(folder)
    assert chapter.read_text() == "my work"
    assert [path.name for path in tmp_path.iterdir()] == ["attention"]
