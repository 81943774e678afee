"""A JupyterHub for a class on one Linux machine; chapters/teaching.md says how to start it.

Students log in with the names and passwords of their accounts on the machine and work in their home folders.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NODE = Path(sys.prefix) / "node/node_modules/configurable-http-proxy"

c = get_config()  # noqa: F821  JupyterHub's

c.JupyterHub.bind_url = "http://:8000"
c.ConfigurableHTTPProxy.command = [
    str(Path(sys.executable).with_name("node")),
    str(NODE / "bin/configurable-http-proxy"),
]
c.Authenticator.allow_all = True  # everybody who has an account
c.Spawner.cmd = [sys.executable, str(HERE / "start.py")]
c.Spawner.default_url = "/lab/tree/attention"
c.Spawner.args = [
    "--ServerApp.shutdown_no_activity_timeout=3600",
    "--MappingKernelManager.cull_idle_timeout=3600",
]
c.Spawner.start_timeout = c.Spawner.http_timeout = (
    120  # when the whole class begins at once
)
