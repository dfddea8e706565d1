"""Answers over HTTP as a ClickHouse server does, with the current ClickHouse that chdb embeds.

It has one statement at a time and what Turnout uses: no users, no clusters. Its arguments are a port and a folder.
"""

import http.server
import re
import sys
import threading
import urllib.parse
from pathlib import Path

from chdb import ChdbError, session

PORT, FOLDER = int(sys.argv[1]), Path(sys.argv[2])
SESSION, LOCK = session.Session(str(FOLDER / "chdb")), threading.Lock()


def run(statement, data, settings):
    if data is not None:
        (FOLDER / "data").write_bytes(data)
        statement = re.sub(r" FORMAT (\w+)$", rf" FROM INFILE '{FOLDER}/data' FORMAT \1", statement)
    for name, value in settings.items():
        SESSION.query(f"SET {name} = '{value}'")
    return SESSION.query(statement, "TabSeparated").bytes()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        settings = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        body = self.rfile.read(int(self.headers["Content-Length"]))
        statement = settings.pop("query", None)
        inputs = (statement, body) if statement else (body.decode(), None)
        for name in ("database", "wait_end_of_query"):
            settings.pop(name, None)
        try:
            with LOCK:
                status, content = 200, run(*inputs, settings)
        except ChdbError as error:
            code = re.match(r"Code: (\d+)", str(error))[1]
            status, content = 404 if code == "60" else 500, str(error).encode()
        self.send_response(status)
        if status != 200:
            self.send_header("X-ClickHouse-Exception-Code", code)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
