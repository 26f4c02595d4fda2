"""Files are there when they are whole, and nothing but files is replaced."""

from __future__ import annotations

import os
from threading import Thread

import pytest

from webstruct.errors import WebstructError
from webstruct.files import atomic_file, write_atomically


def test_a_file_is_replaced_when_all_is_written_or_never(tmp_path):
    path = tmp_path / "a.txt"
    write_atomically(path, "中文\r\n")
    assert path.read_bytes() == "中文\r\n".encode()
    with pytest.raises(RuntimeError), atomic_file(path) as file:
        file.write("half")
        raise RuntimeError
    assert path.read_bytes() == "中文\r\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path):
    write_atomically(tmp_path / "real", "old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text("utf-8") == "new"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    with atomic_file(pipe, binary=True) as file:
        file.write(b"bytes")
    reader.join(10)
    assert read == [b"bytes"]
    assert pipe.is_fifo()


def test_no_folder_and_a_folder_are_refused_by_name(tmp_path):
    with pytest.raises(WebstructError, match=r"nowhere/a has no folder to be in"), atomic_file(tmp_path / "nowhere/a"):
        pass
    with pytest.raises(WebstructError, match=r"is a folder; name a file"), atomic_file(tmp_path):
        pass
