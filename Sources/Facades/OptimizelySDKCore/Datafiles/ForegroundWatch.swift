import Optimizely
import TurnoutClient

/// Knows whether the app is used. Programs without a foreground always are.
final class ForegroundWatch: Sendable {
    private final class Presence: Sendable {
        let state = Locked((isActive: true, isOverdue: false))
    }

    private static let entered = "UIApplicationDidBecomeActiveNotification"

    private let presence = Presence()
    private let watch: NotificationWatch

    /// Watches until it is released.
    ///
    /// - Parameter makeUp: Does what the app's absence has prevented, when the app is used again.
    init(_ makeUp: @escaping @Sendable () -> Void) {
        watch = NotificationWatch(["UIApplicationDidEnterBackgroundNotification", Self.entered]) { [presence] name in
            let isOverdue = presence.state.withLock { state in
                defer { state = (name == Self.entered, false) }
                return state.isOverdue && name == Self.entered
            }
            if isOverdue { makeUp() }
        }
    }

    /// Whether something may be done now; if not, it is made up for.
    func allows() -> Bool {
        presence.state.withLock { state in
            if !state.isActive { state.isOverdue = true }
            return state.isActive
        }
    }
}
