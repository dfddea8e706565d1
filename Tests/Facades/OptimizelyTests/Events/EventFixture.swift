/// An event as a client creates it.
func event(
    _ visitor: String, envelope: String = "{\"visitors\":[", region: Project.Region = .us,
    url: String = "https://events.test/us"
) -> EventForDispatch {
    let outgoing = OutgoingEvent(
        group: OutgoingEvent.Group(region: region, envelope: envelope), visitor: Array(visitor.utf8))
    return EventForDispatch(outgoing, url: URL(string: url) ?? URL(fileURLWithPath: "/"))
}

/// A dispatcher that records events instead of sending them.
class RecordingDefaultDispatcher: DefaultEventDispatcher {
    let sent = Locked<[String]>([])
    let failures = Locked(0)

    override func sendEvent(event: EventForDispatch, completionHandler: @escaping DispatchCompletionHandler) {
        let body = String(decoding: event.body, as: UTF8.self)
        sent.withLock { $0.append(body) }
        let fails = failures.withLock { count in
            count -= 1
            return count >= 0
        }
        completionHandler(fails ? .failure(.eventDispatchFailed("offline")) : .success(event.body))
    }

    var sentBodies: [String] { sent.withLock { $0 } }
}

extension MemoryTransport {
    /// The sent bodies, as text.
    var bodies: [String] { requests.map { String(decoding: $0.body, as: UTF8.self) } }
}
