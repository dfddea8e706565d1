import Synchronization
import TurnoutClient

/// The kinds of notifications, in the words of the vendor's Agent.
package enum NotificationKind: String, Sendable, CaseIterable {
    case decision
    case track
    /// A changed datafile is in use.
    case projectConfigUpdate = "project_config_update"
}

/// The notifications of one SDK key, as streams of server-sent events.
///
/// A publisher never waits: a reader that is too slow loses its stream, and a client that reconnects with the id of
/// the last notification it has receives those that it missed, as far back as the feed remembers.
package final class NotificationFeed: Sendable {
    private struct Subscriber {
        let stream: ResponseStream
        let kinds: Set<NotificationKind>
        let isRaw: Bool
        /// The bytes that are not passed to the stream yet, and whether a publisher is passing them.
        var pending: [UInt8] = []
        var isPassing = false
    }

    private struct State {
        var subscribers: [Int: Subscriber] = [:]
        var nextSubscriber = 0
        var recent: RecentNotifications
        /// The end of recording without subscribers.
        var recordsUntil = Duration.zero
    }

    private let epoch: String
    private let options: NotificationOptions
    private let uptime: @Sendable () -> Duration
    private let state: Locked<State>
    /// Whether notifications are recorded; read with each decision.
    private let isRecording = Atomic(false)

    /// Creates a feed without subscribers.
    ///
    /// - Parameters:
    ///   - epoch: Distinguishes the ids of this feed from those of earlier ones for the same SDK key.
    ///   - options: The limits.
    ///   - uptime: Measures time.
    package init(epoch: String, options: NotificationOptions, uptime: @escaping @Sendable () -> Duration) {
        self.epoch = epoch
        self.options = options
        self.uptime = uptime
        state = Locked(State(recent: RecentNotifications(count: options.replayCount, size: options.replaySize)))
    }

    /// The number of open streams.
    package var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    // MARK: Publishing

    /// Passes a notification to the subscribers of its kind. `json` is called only if there are any, or if one has left
    /// so recently that it may come back.
    @inline(__always)
    package func publish(_ kind: NotificationKind, _ json: () -> [UInt8]) {
        if isRecording.load(ordering: .relaxed) { record(kind, json()) }
    }

    private func record(_ kind: NotificationKind, _ json: [UInt8]) {
        let now = uptime()
        let waiting = state.withLock { state -> [Int] in
            guard !state.subscribers.isEmpty || now < state.recordsUntil else {
                state.recent.removeAll()
                isRecording.store(false, ordering: .relaxed)
                return []
            }
            let notification = state.recent.append(kind, json)
            return state.subscribers.keys.filter { number in
                guard state.subscribers[number]?.kinds.contains(kind) == true else { return false }
                let isRaw = state.subscribers[number]?.isRaw ?? false
                state.subscribers[number]?.pending += frame(notification, isRaw: isRaw)
                return begin(number, &state)
            }
        }
        for number in waiting { pass(number) }
    }

    /// Sends a comment to all subscribers, so that proxies keep the connections open, and those that have ended are
    /// noticed. Raw streams have no comments.
    package func sendHeartbeat() {
        let waiting = state.withLock { state in
            state.subscribers.keys.filter { number in
                guard state.subscribers[number]?.isRaw == false else { return false }
                state.subscribers[number]?.pending += ServerSentEvent.heartbeat
                return begin(number, &state)
            }
        }
        for number in waiting { pass(number) }
    }

    package func close() { for stream in state.withLock({ $0.subscribers.values.map(\.stream) }) { stream.end() } }

    /// Whether the caller has to pass what is pending. One publisher at a time does, which keeps the order.
    private func begin(_ number: Int, _ state: inout State) -> Bool {
        guard state.subscribers[number]?.isPassing == false else { return false }
        state.subscribers[number]?.isPassing = true
        return true
    }

    private func pass(_ number: Int) {
        while true {
            let next = state.withLock { state -> (ResponseStream, [UInt8])? in
                guard let subscriber = state.subscribers[number] else { return nil }
                guard !subscriber.pending.isEmpty else {
                    state.subscribers[number]?.isPassing = false
                    return nil
                }
                state.subscribers[number]?.pending = []
                return (subscriber.stream, subscriber.pending)
            }
            guard let (stream, bytes) = next else { return }
            guard stream.send(bytes) else { return remove(number) }
        }
    }

    // MARK: Subscribing

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of notifications.
    ///   - isRaw: Whether each notification is a line of JSON, without an id. Default: false, server-sent events.
    ///   - lastID: The id of the last notification that the client has; nil: only new ones are sent.
    /// - Returns: Nil if there are too many streams.
    package func subscribe(
        to kinds: Set<NotificationKind>, isRaw: Bool = false, after lastID: String? = nil
    ) -> ResponseStream? {
        let stream = ResponseStream(limit: options.streamBuffer)
        let number = state.withLock { state -> Int? in
            guard state.subscribers.count < options.streams else { return nil }
            state.nextSubscriber += 1
            var subscriber = Subscriber(stream: stream, kinds: kinds, isRaw: isRaw)
            if let lastID { subscriber.pending = missed(since: lastID, by: subscriber, state) }
            subscriber.isPassing = true
            state.subscribers[state.nextSubscriber] = subscriber
            isRecording.store(true, ordering: .relaxed)
            return state.nextSubscriber
        }
        guard let number else { return nil }
        stream.onClose { [weak self] in self?.remove(number) }
        pass(number)
        return stream
    }

    /// The notifications after an id, or a comment if they are no longer known.
    private func missed(since lastID: String, by subscriber: Subscriber, _ state: State) -> [UInt8] {
        let parts = lastID.split(separator: "-")
        guard parts.count == 2, parts[0] == epoch, let last = UInt64(parts[1]),
            let missed = state.recent.notifications(after: last)
        else { return subscriber.isRaw ? [] : Array(": earlier notifications are no longer known\n\n".utf8) }
        return missed.filter { subscriber.kinds.contains($0.kind) }.flatMap { frame($0, isRaw: subscriber.isRaw) }
    }

    private func frame(_ notification: Notification, isRaw: Bool) -> [UInt8] {
        if isRaw { return notification.json + [UInt8(ascii: "\n")] }
        return Array("id: \(epoch)-\(notification.number)\ndata: ".utf8) + notification.json + Array("\n\n".utf8)
    }

    private func remove(_ number: Int) {
        let now = uptime()
        state.withLock { state in
            guard state.subscribers.removeValue(forKey: number) != nil else { return }
            if state.subscribers.isEmpty { state.recordsUntil = now + options.replayTime }
        }
    }
}

/// A notification, numbered from 1.
private struct Notification: Sendable {
    let number: UInt64
    let kind: NotificationKind
    let json: [UInt8]
}

/// The last notifications, bounded in number and size.
private struct RecentNotifications: Sendable {
    private let limit: (count: Int, size: Int)
    /// The ones before `first` are no longer known; removing each at once would move all others.
    private var notifications: [Notification] = []
    private var first = 0
    private var size = 0
    private var nextNumber: UInt64 = 1

    init(count: Int, size: Int) { limit = (count, size) }

    mutating func append(_ kind: NotificationKind, _ json: [UInt8]) -> Notification {
        let notification = Notification(number: nextNumber, kind: kind, json: json)
        nextNumber += 1
        notifications.append(notification)
        size += json.count
        while notifications.count - first > limit.count || size > limit.size, first < notifications.count {
            size -= notifications[first].json.count
            first += 1
        }
        if first > notifications.count / 2 {
            notifications.removeFirst(first)
            first = 0
        }
        return notification
    }

    /// The notifications after a number; nil if some of them are no longer known.
    func notifications(after number: UInt64) -> ArraySlice<Notification>? {
        let oldest = nextNumber - UInt64(notifications.count - first)
        guard number < nextNumber, number + 1 >= oldest else { return nil }
        return notifications.suffix(Int(nextNumber - 1 - number))
    }

    mutating func removeAll() { (notifications, first, size) = ([], 0, 0) }
}

/// The limits of a feed.
package struct NotificationOptions: Sendable {
    /// The maximum number of streams for an SDK key. Default: 1,000.
    package var streams = 1_000
    /// The bytes that may wait for the reader of a stream; with more it ends. Default: 256 KiB.
    package var streamBuffer = 256 << 10
    /// The maximum number of notifications to repeat for a client that reconnects. Default: 1,000.
    package var replayCount = 1_000
    /// The maximum size of these notifications in bytes. Default: 1 MiB.
    package var replaySize = 1 << 20
    /// How long notifications are recorded after the last stream has ended. Default: one minute.
    package var replayTime = Duration.seconds(60)

    package init() {}
}
