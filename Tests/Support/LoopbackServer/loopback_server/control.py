"""The commands of `POST /_control/COMMAND`. Arguments and results are JSON."""

import base64
import json

from replies import Reply
from script import Datafile


def reply(arguments, script, _):
    script.queue(arguments["path"], Reply(arguments["reply"]), arguments["times"])


def always(arguments, script, _):
    members = arguments.get("reply")
    script.stand(arguments["path"], Reply(members) if members is not None else None)


def fail(arguments, script, _):
    replies = [Reply(members) for members in arguments["replies"]]
    script.fail(arguments["path"], arguments["fraction"], arguments["seed"], replies)


def publish(arguments, script, _):
    body = base64.b64decode(arguments["body"])
    script.publish(arguments["path"], Datafile(body, arguments.get("lastModified"), arguments.get("etag")))


def requests(arguments, _, records):
    path = arguments.get("path")
    with records.lock:
        found = [request for request in records.requests if path is None or request.path == path]
    return [
        {
            "method": request.method,
            "target": request.target,
            "headers": {name.lower(): request.header(name.lower()) for name, _ in request.headers},
            "body": base64.b64encode(request.body).decode(),
            "connection": request.connection,
            "time": request.time - records.start,
        }
        for request in found
    ]


def statistics(_, __, records):
    with records.lock:
        return {
            "requests": records.request_count,
            "connections": records.connections,
            "openConnections": records.open_connections,
            "acceptedEvents": sum(records.accepted_events.values()),
            "distinctEvents": len(records.accepted_events),
            "unreadableBodies": records.unreadable_bodies,
        }


def count_events(arguments, _, records):
    records.counts_events = arguments["isOn"]


def accepted_events(_, __, records):
    with records.lock:
        return dict(records.accepted_events)


def accepted_users(_, __, records):
    with records.lock:
        return dict(records.users)


def forget(arguments, script, records):
    records.forget()
    if arguments["script"]:
        script.forget()


COMMANDS = {
    "reply": reply,
    "always": always,
    "fail": fail,
    "publish": publish,
    "requests": requests,
    "statistics": statistics,
    "count-events": count_events,
    "accepted-events": accepted_events,
    "accepted-users": accepted_users,
    "forget": forget,
}


def run(request, script, records):
    """Runs a command. Returns the status and body of the response."""
    try:
        command = COMMANDS[request.path.removeprefix("/_control/")]
        result = command(json.loads(request.body or b"{}"), script, records)
        return 200, json.dumps(result).encode()
    except (KeyError, ValueError, TypeError) as error:
        return 400, repr(error).encode()
