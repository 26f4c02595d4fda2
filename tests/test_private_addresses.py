"""A page of the web must not make the crawler read the machine it runs on; tried in a network that is nothing but `lo`.

Inside a network namespace the loopback interface has a public address too, where the site is served. Its start page, its
robots.txt and its sitemap lead to 127.0.0.1, to a private address, to a link-local one, and to a name for one of them.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from private_network import NAME, PRIVATE, PUBLIC, WAYS

from webstruct.store import Store

HERE = Path(__file__).parent
ENTER = ("unshare", "--user", "--map-root-user", "--net", "--mount")
SET_UP = f"""
set -e
ip link set lo up
for address in {PUBLIC} {" ".join(PRIVATE[1:])}; do ip address add $address/32 dev lo; done
printf '127.0.0.1 localhost\\n{PRIVATE[1]} {NAME}\\n' > "$1/hosts"
mount --bind "$1/hosts" /etc/hosts
exec "$2" "$3" "$1"
"""


def namespaces_work():
    can_enter = shutil.which("unshare") and shutil.which("ip")
    return can_enter and subprocess.run([*ENTER, "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not namespaces_work(), reason="needs unshare, ip and the right to make a network namespace")
def test_no_way_leads_to_a_private_address(tmp_path):
    script = str(HERE / "private_network.py")
    words = ["sh", "-c", SET_UP, "sh", str(tmp_path), sys.executable, script]
    run = subprocess.run([*ENTER, *words], cwd=HERE.parent, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    seen = json.loads(run.stdout)
    assert seen["asked"] == []
    assert seen["ends"] == {"": 0, **{f"away/{number}": 7 for number in range(len(WAYS))}}
    for number in range(1, len(WAYS) + 1):
        with Store.open(tmp_path / str(number) / "site.db", read_only=True) as store:
            assert ("refused", "private address") in store.reasons(), WAYS[number - 1]
