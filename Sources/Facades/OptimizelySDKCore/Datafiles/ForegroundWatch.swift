import Foundation
import Optimizely
import Synchronization

/// Knows whether the app is used. Programs without a foreground always are.
final class ForegroundWatch: Sendable {
    // By name, because what defines the names must not be linked by extensions of apps.
    static let left = NSNotification.Name("UIApplicationDidEnterBackgroundNotification")
    static let entered = NSNotification.Name("UIApplicationDidBecomeActiveNotification")

    private final class Flag: Sendable {
        let isSet = Atomic(true)
    }

    private let flag = Flag()
    private let observers: Handed<[any NSObjectProtocol]>

    /// Watches until it is released.
    init() {
        observers = Handed(
            [(Self.left, false), (Self.entered, true)].map { [flag] name, isActive in
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                    flag.isSet.store(isActive, ordering: .relaxed)
                }
            })
    }

    deinit { for observer in observers.value { NotificationCenter.default.removeObserver(observer) } }

    var isActive: Bool { flag.isSet.load(ordering: .relaxed) }
}
