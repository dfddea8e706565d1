import Optimizely
import TurnoutClient

/// Tracks whether the app is in the foreground. Programs without a foreground always count as active.
final class ForegroundObserver: Sendable {
    private final class Presence: Sendable {
        let state = Locked((isActive: true, isOverdue: false))
    }

    private static let entered = "UIApplicationDidBecomeActiveNotification"

    private let presence = Presence()
    private let observer: NotificationObserver

    /// Observes until released.
    ///
    /// - Parameter onResume: Performs a missed action when the app becomes active again.
    init(_ onResume: @escaping @Sendable () -> Void) {
        observer = NotificationObserver(["UIApplicationDidEnterBackgroundNotification", Self.entered]) {
            [presence] name in
            let isOverdue = presence.state.withLock { state in
                defer { state = (name == Self.entered, false) }
                return state.isOverdue && name == Self.entered
            }
            if isOverdue { onResume() }
        }
    }

    /// Whether an action may run now; if not, it is performed when the app becomes active again.
    func allows() -> Bool {
        presence.state.withLock { state in
            if !state.isActive { state.isOverdue = true }
            return state.isActive
        }
    }
}
