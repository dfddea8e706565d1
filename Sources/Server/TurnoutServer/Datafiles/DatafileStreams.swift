import TurnoutClient
import TurnoutEngine

/// Tells clients when their datafile has changed, over streams of server-sent events.
///
/// ```text
/// id: "8c5e…"
/// event: datafile
/// data: {"revision":"42","etag":"\"8c5e…\""}
/// ```
///
/// The id is the datafile's entity tag. A new stream begins with the current one, unless the client already has it
/// (`Last-Event-ID`), so that no change is missed between the download and the stream.
package final class DatafileStreams: Sendable {
    private let directory: DatafileDirectory
    private let hub: EventStreamHub

    /// Creates the streams for a directory.
    package init(_ directory: DatafileDirectory, hub: EventStreamHub) {
        self.directory = directory
        self.hub = hub
        // The directory and this live as long as the server.
        _ = directory.onChange { [hub] change in
            switch change {
            case .published(let datafile): hub.publish(Self.event(of: datafile), to: datafile.sdkKey)
            case .removed(let sdkKey): hub.end(sdkKey)
            }
        }
    }

    /// Opens a stream for an SDK key that the directory has.
    func open(_ sdkKey: String, after lastEventID: String?) -> ServerResponse {
        guard let stream = hub.open(sdkKey) else {
            return ServerResponse(
                503, headers: ["Retry-After": "30", "Content-Type": "text/plain; charset=utf-8"],
                body: .bytes(Array("too many streams\n".utf8)))
        }
        // After opening, so that a change between the two is sent twice rather than never.
        if let datafile = directory[sdkKey], datafile.entityTag != lastEventID {
            stream.send(Self.event(of: datafile).bytes)
        } else {
            stream.send(ServerSentEvent.heartbeat)
        }
        return .events(stream)
    }

    private static func event(of datafile: ServedDatafile) -> ServerSentEvent {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("revision")
        writer.string(datafile.project.revision)
        writer.key("etag")
        writer.string(datafile.entityTag)
        writer.endObject()
        return ServerSentEvent(id: datafile.entityTag, name: "datafile", data: writer.text)
    }
}
