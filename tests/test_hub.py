"""A JupyterHub with two students, run for real on this machine, with the configuration that the book gives a class."""

import contextlib
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests
import yaml
from tornado.httpclient import HTTPRequest
from tornado.ioloop import IOLoop
from tornado.websocket import websocket_connect

from tools import ROOT
from tools.hub import start
from tools.hub.start import give

if os.name != "posix":
    pytest.skip("JupyterHub does not run on Windows", allow_module_level=True)
pytest.importorskip("jupyterhub")

PROXY = Path(sys.prefix) / "node/node_modules/configurable-http-proxy"
PASSWORD = secrets.token_hex(16)
MACHINE = ROOT / "tools/hub/jupyterhub_config.py"
CLUSTER = yaml.safe_load((ROOT / "tools/hub/values.yaml").read_text("utf-8"))
CONFIG = """
load_subconfig({machine!r})
c.JupyterHub.hub_port = {}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{}"
c.JupyterHub.spawner_class = "simple"  # everybody is this user, with a home of their own
c.SimpleLocalProcessSpawner.home_dir_template = {home!r}
c.Spawner.args.append("--allow-root")  # if this user is root
"""
WITH_PASSWORD = f"""
c.JupyterHub.authenticator_class = "dummy"  # instead of the machine's accounts
c.DummyAuthenticator.password = {PASSWORD!r}
"""
AS_ON_THE_CLUSTER = f"""
for kind, settings in {CLUSTER["hub"]["config"]!r}.items():
    for name, value in settings.items():
        setattr(c[kind], name, value)
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
            f"{hub}/hub/login", data={"username": name, "password": PASSWORD, **xsrf}, timeout=PATIENCE
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
        return requests.request(method, self.hub + address, headers=self.headers, timeout=PATIENCE, **data)

    def run(self, code: str) -> str:
        """What code prints in a kernel of the student's own."""
        kernels = f"/user/{self.name}/api/kernels"
        kernel = self.ask("POST", kernels, json={"name": "python3"}).json()["id"]
        address = f"{self.hub}{kernels}/{kernel}/channels"

        async def talk():
            channel = await websocket_connect(HTTPRequest(address.replace("http", "ws", 1), headers=self.headers))
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


@contextlib.contextmanager
def running(folder: Path, more: str):
    """A hub with more lines of configuration: its address, its log and the folder of the homes."""
    if not PROXY.is_dir():
        pytest.skip("no configurable-http-proxy: set up the environment with npm")
    port, *ports = free_ports(3)
    log, homes = folder / "log", folder / "homes"
    home = str(homes / "{username}")
    config = CONFIG.format(*ports, machine=str(MACHINE), home=home) + more
    (folder / "config.py").write_text(config)
    words = ["--config", str(folder / "config.py"), f"--port={port}"]
    with log.open("w") as out:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterhub", *words],
            cwd=folder,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    homes.mkdir()
    address = f"http://127.0.0.1:{port}"

    def up():
        assert server.poll() is None, log.read_text()
        try:
            return requests.get(f"{address}/hub/health", timeout=5).ok
        except requests.ConnectionError:
            return False

    try:
        wait_for("hub", up, log)
        yield address, log, homes
    finally:
        server.terminate()  # it stops the students' servers and the proxy
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
        with pytest.raises(ConnectionRefusedError):  # the next hub needs the port
            socket.create_connection(("127.0.0.1", port), 5)


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    with running(tmp_path_factory.mktemp("hub"), WITH_PASSWORD) as hub:
        yield hub


def test_two_students_work_beside_each_other(hub):
    address, log, homes = hub
    (homes / "ada").mkdir()
    # Python would take it for its own
    (homes / "ada" / "email.py").write_text("raise ImportError('ada's')")
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


def login(hub: str, name: str, password: str) -> requests.Response:
    session = requests.Session()
    session.get(f"{hub}/hub/login", timeout=PATIENCE)
    data = {"username": name, "password": password}
    data["_xsrf"] = session.cookies.get("_xsrf", "")
    return session.post(f"{hub}/hub/login", data=data, timeout=PATIENCE)


@pytest.mark.parametrize(("name", "password"), [("ada", "x"), ("root", PASSWORD)], ids=["ada", "root"])
def test_a_wrong_password_and_root_are_refused(hub, name, password):
    answer = login(hub[0], name, password)
    assert answer.status_code == 403 and "Invalid username or password" in answer.text


def test_the_hubs_secrets_are_its_own(hub):
    folder = hub[2].parent
    for name in ("jupyterhub.sqlite", "jupyterhub_cookie_secret", "homes/ada/attention"):
        assert (folder / name).stat().st_mode & 0o077 == 0
    assert f"at http://127.0.0.1:{hub[0].rpartition(':')[2]}" in hub[1].read_text()


def test_on_a_cluster_nobody_gets_in_before_somebody_checks_passwords(tmp_path):
    with running(tmp_path, AS_ON_THE_CLUSTER) as (address, _, homes):
        for name in ("ada", "admin", "root"):
            assert login(address, name, PASSWORD).status_code in (403, 404, 405)
        for page in ("login", "signup", "home", "spawn", "oauth_login", "api/users"):
            answer = requests.get(f"{address}/hub/{page}", timeout=PATIENCE)
            assert answer.status_code in (403, 404), page
            assert "password" not in answer.text
        there = requests.get(f"{address}/user/ada/lab", timeout=PATIENCE)
        assert there.status_code in (403, 404)
        assert not list(homes.iterdir())


def test_the_image_has_the_jupyterhub_that_the_page_names():
    image = (ROOT / "binder/postBuild").read_text("utf-8")
    [version] = re.findall(r"^pip install jupyterhub==([\d.]+)$", image, re.MULTILINE)
    page = (ROOT / "chapters/teaching.md").read_text("utf-8")
    assert f"runs JupyterHub {version}, and `binder/postBuild`" in page
    [said] = re.findall(r"Version ([\d.]+) of the chart", page)
    assert f"--version {said} " in page
    pins = (ROOT / "requirements.txt").read_text("utf-8")
    [local] = re.findall(r"^jupyterhub==([\d.]+)$", pins, re.MULTILINE)
    assert f"installs JupyterHub {local} " in page


@pytest.mark.parametrize(
    ("words", "address"), [([], "http://127.0.0.1:8000/"), (["--ip=0.0.0.0"], "http://0.0.0.0:8000/")]
)
def test_the_hub_listens_to_this_machine_unless_it_is_told(tmp_path, words, address):
    code = f"""
from jupyterhub.app import JupyterHub
app = JupyterHub()
app.parse_command_line({words!r})
app.load_config_file({str(MACHINE)!r})
print(app.bind_url)
"""
    told = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert told.stdout.strip() == address, told.stderr


def test_the_hub_does_not_start_where_others_can_look(tmp_path):
    tmp_path.chmod(0o755)
    command = [sys.executable, "-m", "jupyterhub", "--config", str(MACHINE)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert f"secrets in {tmp_path}, which is open to others" in done.stderr
    assert not list(tmp_path.iterdir())


def test_what_a_student_has_is_never_overwritten(tmp_path):
    folder = tmp_path / "attention"
    give(folder)
    chapter = folder / "04-masked-softmax.ipynb"
    assert chapter.read_bytes() == (ROOT / "chapters" / chapter.name).read_bytes()
    chapter.write_text("my work")
    give(folder)
    assert chapter.read_text() == "my work"
    assert [path.name for path in tmp_path.iterdir()] == ["attention"]
    assert folder.stat().st_mode & 0o077 == 0


def test_a_link_or_a_file_of_that_name_stays_too(tmp_path):
    nowhere, file = tmp_path / "nowhere", tmp_path / "file"
    nowhere.symlink_to(tmp_path / "gone")
    file.write_text("mine")
    for path in (nowhere, file):
        give(path)
    assert nowhere.is_symlink() and file.read_text() == "mine"
    assert not (tmp_path / "gone").exists()


def test_what_the_teacher_has_kept_stays_the_teachers(tmp_path, monkeypatch):
    chapters = tmp_path / "chapters"
    (chapters / "text").mkdir(parents=True)
    (chapters / "api").mkdir()
    for name in ("01-a.ipynb", "01-a.mine.ipynb", "01-a.2.mine.ipynb", "text/01-a.md", "api/a.md"):
        (chapters / name).write_text("x")
    monkeypatch.setattr(start, "CHAPTERS", chapters)
    give(tmp_path / "attention")
    assert [path.name for path in (tmp_path / "attention").iterdir()] == ["01-a.ipynb"]


def test_a_full_disk_leaves_nothing_and_the_server_starts(tmp_path):
    home, fake = tmp_path / "home", tmp_path / "modules/jupyterhub"
    home.mkdir()
    fake.mkdir(parents=True)
    (fake / "__init__.py").touch()
    (fake / "singleuser.py").write_text("import os, sys; print(os.getcwd(), sys.argv[1:])")
    limited = (
        "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (9999, 9999));"
        "sys.argv = [sys.argv[1], '--port=1']; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited, start.__file__],
        env=os.environ | {"HOME": str(home), "PYTHONPATH": str(fake.parent)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == f"{home} ['--port=1']\n", done.stderr
    assert done.stderr.startswith("The chapters could not be copied: ")
    assert "File too large" in done.stderr
    assert not list(home.iterdir())
