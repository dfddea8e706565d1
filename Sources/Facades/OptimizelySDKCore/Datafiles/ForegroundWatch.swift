import Optimizely
import Synchronization

/// Knows whether the app is used. Programs without a foreground always are.
final class ForegroundWatch: Sendable {
    private static let left = "UIApplicationDidEnterBackgroundNotification"
    private static let entered = "UIApplicationDidBecomeActiveNotification"

    private final class Flag: Sendable {
        let isSet = Atomic(true)
    }

    private let flag = Flag()
    private let watch: NotificationWatch

    /// Watches until it is released.
    init() {
        watch = NotificationWatch([Self.left, Self.entered]) { [flag] name in
            flag.isSet.store(name == Self.entered, ordering: .relaxed)
        }
    }

    var isActive: Bool { flag.isSet.load(ordering: .relaxed) }
}
