"""A scripted HTTP server for tests, on a free port of 127.0.0.1, which it prints.

    python3 loopback_server

`POST /_control/COMMAND` controls it; see control.py for the commands. It ends when its standard input is closed, so
that no test leaves a server running.
"""

import os
import socket
import sys
import threading
import time

from connection import Connection
from records import Records
from script import Script


def end_with_the_parent():
    """Ends the process when standard input is closed, or when the parent process has ended."""
    parent = os.getppid()

    def watch_parent():
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(0)

    threading.Thread(target=watch_parent, daemon=True).start()
    while os.read(0, 4096):
        pass
    os._exit(0)


def main():
    threading.Thread(target=end_with_the_parent, daemon=True).start()
    # One thread per connection; they need no large stacks.
    threading.stack_size(256 * 1024)
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    print(listener.getsockname()[1], flush=True)
    script, records = Script(), Records()
    while True:
        channel, _ = listener.accept()
        channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=Connection(channel, script, records).run, daemon=True).start()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
