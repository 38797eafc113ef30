"""Writes each stream of OpenAI's responses API that the tests of langchain-openai recorded to a file with one event
per line. Usage: read-cassettes.py ARCHIVE FOLDER
"""

import gzip
import re
import sys
import tarfile
from pathlib import Path

import yaml

# svc refuses to run these tools at a provider, because it cannot bound their price.
REFUSED = "file_search|code_interpreter|image_generation|mcp"
# OpenAI's own client, with which the responses are read, fails on its events.
UNREADABLE = "apply_patch"
EVENT = "data: "


def main(archive: str, folder: str) -> None:
    Path(folder).mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as files:
        for member in files.getmembers():
            cassette = re.search(r"/cassettes/(.+)\.yaml\.gz$", member.name)
            if cassette is None or re.search(f"{REFUSED}|{UNREADABLE}", member.name):
                continue
            recorded = yaml.load(gzip.decompress(files.extractfile(member).read()), yaml.CSafeLoader)
            for number, response in enumerate(recorded["responses"]):
                write(response["body"]["string"], f"{cassette[1].replace('.', '-')}-{number}", Path(folder))


def write(body: str | bytes, name: str, folder: Path) -> None:
    if isinstance(body, bytes):
        body = (gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body).decode(errors="replace")
    if '"response.created"' not in body:
        return
    events = [line.removeprefix(EVENT) for line in body.splitlines() if line.startswith(EVENT)]
    kind = "web-search-" if '"web_search_call"' in body else ""
    (folder / f"responses-{kind}{name}.chunks.txt").write_text("\n".join(events) + "\n")


main(*sys.argv[1:])
