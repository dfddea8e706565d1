import TurnoutClient
import TurnoutEngine

/// Tells clients that their flags may have changed, as streams of server-sent events: clients of OpenFeature's
/// protocol, and those that download datafiles.
///
/// The id of an event is the entity tag of the datafile, which depends on the content only. So all servers of a group
/// send the same ids, and a client that reconnects, to whichever server, is told about a change exactly if it missed
/// one.
package final class FlagChangeStreams: Sendable {
    private let directory: DatafileDirectory
    private let streams: EventStreamHub
    private let clock: any Clock<Duration>
    private let endOfChanges = Locked<(@Sendable () -> Void)?>(nil)

    /// The path of a stream, before the SDK key. Browsers cannot set headers for streams, so the key is in the path.
    static let path = "/ofrep/v1/stream/"
    private static let heartbeatInterval = Duration.seconds(15)

    /// Creates streams.
    ///
    /// - Parameters:
    ///   - directory: The datafiles whose changes are sent.
    ///   - streams: The limit for open streams.
    ///   - clock: Measures the interval of heartbeats. Default: the system's.
    package init(
        _ directory: DatafileDirectory, streams: EventStreamHub, clock: any Clock<Duration> = .continuous
    ) {
        self.directory = directory
        self.streams = streams
        self.clock = clock
        let end = directory.onChange { change in
            switch change {
            case .published(let datafile): streams.publish(Self.event(datafile), to: datafile.sdkKey)
            case .removed(let sdkKey): streams.end(sdkKey)
            }
        }
        endOfChanges.withLock { $0 = end }
    }

    deinit { endOfChanges.withLock { $0 }?() }

    /// Sends heartbeats, until the task is canceled.
    package func run() async {
        while (try? await clock.pause(for: Self.heartbeatInterval)) != nil { streams.sendHeartbeat() }
    }

    /// Opens a stream for an SDK key.
    func open(_ sdkKey: String, _ head: RequestHead) -> ServerResponse {
        guard directory[sdkKey] != nil else { return DatafileAbsence.unknownKey.response }
        guard let stream = streams.open(sdkKey) else {
            var response = ServerResponse.error(503, "too many streams")
            response.headers["Retry-After"] = "30"
            return response
        }
        // Read after the stream was opened: a change in between is sent twice, but not lost.
        if let datafile = directory[sdkKey] {
            let current = Self.event(datafile)
            let isKnown = head.headers["Last-Event-ID"].map { $0 == current.id } ?? true
            stream.send((isKnown ? ServerSentEvent(id: current.id) : current).bytes)
        }
        return .events(stream)
    }

    private static func event(_ datafile: ServedDatafile) -> ServerSentEvent {
        let writer = JSONWriter.object {
            $0.member("type", "refetchEvaluation")
            $0.member("etag", datafile.entityTag)
            $0.member("lastModified", datafile.lastModified)
        }
        return ServerSentEvent(id: datafile.entityTag.filter { $0 != "\"" }, data: writer.text)
    }
}
