import Synchronization

/// Something that happened in a client.
public enum ClientNotification: Sendable {
    /// A flag was decided for a user. Not sent for errors: no datafile, an unknown flag, a missing prediction.
    case decision(Decision, user: User)
    /// An impression was accepted for delivery.
    case impression(Impression, user: User)
    /// A conversion was accepted for delivery.
    case conversion(Conversion, user: User)
    /// The client now uses another datafile. Not sent at the start.
    case datafileChange(Project)
    /// The datafile became stale, or is current again; see ``ClientConfiguration/maximumDatafileAge``.
    case stalenessChange(isStale: Bool)

    /// The kind of the notification.
    public var kind: NotificationKinds {
        switch self {
        case .decision: .decisions
        case .impression: .impressions
        case .conversion: .conversions
        case .datafileChange: .datafileChanges
        case .stalenessChange: .stalenessChanges
        }
    }
}

extension ClientNotification: CustomStringConvertible {
    /// The event without the user: `decision checkout: one_page (on) by checkout_test, bucketed`.
    public var description: String { description(includingPersonalData: false) }

    /// The event, with the user on request; see `User.description(includingPersonalData:)`.
    public func description(includingPersonalData isIncluded: Bool) -> String {
        func of(_ user: User) -> String {
            isIncluded ? " for " + user.description(includingPersonalData: true) : ""
        }
        return switch self {
        case .decision(let decision, let user): "decision \(decision)" + of(user)
        case .impression(let impression, let user):
            "impression of \(impression.flagKey): \(impression.variationKey)" + of(user)
        case .conversion(let conversion, let user): "conversion \(conversion.eventKey)" + of(user)
        case .datafileChange(let project): "datafile change to revision \(project.revision)"
        case .stalenessChange(let isStale): isStale ? "the datafile is stale" : "the datafile is no longer stale"
        }
    }
}

/// The kinds of notifications that a listener receives.
public struct NotificationKinds: OptionSet, Sendable, Hashable {
    /// One bit for each kind.
    public let rawValue: UInt8

    /// Creates kinds from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Decisions for flags.
    public static let decisions = NotificationKinds(rawValue: 1 << 0)
    /// Impressions.
    public static let impressions = NotificationKinds(rawValue: 1 << 1)
    /// Conversions.
    public static let conversions = NotificationKinds(rawValue: 1 << 2)
    /// Replacements of the datafile.
    public static let datafileChanges = NotificationKinds(rawValue: 1 << 3)
    /// Changes of the datafile's staleness.
    public static let stalenessChanges = NotificationKinds(rawValue: 1 << 4)
    /// Everything.
    public static let all: NotificationKinds = [
        .decisions, .impressions, .conversions, .datafileChanges, .stalenessChanges,
    ]
}

/// Identifies a listener for removal.
public struct ListenerID: Sendable, Hashable {
    let number: Int
}

final class NotificationHub: Sendable {
    private struct Listener: Sendable {
        let id: ListenerID
        let kinds: NotificationKinds
        let body: @Sendable (ClientNotification) -> Void
        /// Called when the client is deallocated.
        let end: @Sendable () -> Void
    }

    private struct State {
        var listeners: [Listener] = []
        var nextNumber = 1
    }

    private let queue: ListenerQueue
    private let state = Locked(State())
    /// The number of listeners, plus one if decisions are counted; read with every decision.
    private let observerCount: Atomic<Int>
    private let isCounting: Bool

    /// Creates a hub without listeners.
    ///
    /// - Parameters:
    ///   - queue: Calls the listeners.
    ///   - isCounting: Whether ``isObserved`` is always true, because decisions are counted.
    init(queue: ListenerQueue, isCounting: Bool = false) {
        self.queue = queue
        self.isCounting = isCounting
        observerCount = Atomic(isCounting ? 1 : 0)
    }

    deinit { for listener in state.withLock({ $0.listeners }) { listener.end() } }

    /// Whether there is a listener, or decisions are counted: the only check of a decision if neither is the case.
    @inline(__always)
    var isObserved: Bool { observerCount.load(ordering: .relaxed) > 0 }

    /// Whether there is a listener.
    var hasListeners: Bool { observerCount.load(ordering: .relaxed) > (isCounting ? 1 : 0) }

    func add(
        _ kinds: NotificationKinds, _ body: @escaping @Sendable (ClientNotification) -> Void,
        end: @escaping @Sendable () -> Void = {}
    ) -> ListenerID {
        state.withLock { state in
            let id = ListenerID(number: state.nextNumber)
            state.nextNumber += 1
            state.listeners.append(Listener(id: id, kinds: kinds, body: body, end: end))
            updateCount(state)
            return id
        }
    }

    func remove(_ id: ListenerID) {
        // Releasing a listener's captures may call back into the hub, so that happens outside the lock.
        let all = state.withLock { state in
            let all = state.listeners
            state.listeners.removeAll { $0.id == id }
            updateCount(state)
            return all
        }
        withExtendedLifetime(all) {}
    }

    private func updateCount(_ state: State) {
        observerCount.store(state.listeners.count + (isCounting ? 1 : 0), ordering: .relaxed)
    }

    /// Queues a notification for the listeners of its kind.
    func post(_ notification: ClientNotification) {
        guard hasListeners else { return }
        queue.add { [self] in
            for listener in state.withLock({ $0.listeners }) where listener.kinds.contains(notification.kind) {
                listener.body(notification)
            }
        }
    }

    /// Waits until all earlier notifications are delivered; returns immediately when called by a listener.
    func drain() async {
        guard !queue.isCurrent else { return }
        await withCheckedContinuation { continuation in
            queue.add({ continuation.resume() }, beyondLimit: true)
        }
    }
}
