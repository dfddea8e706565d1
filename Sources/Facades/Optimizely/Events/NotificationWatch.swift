import Foundation

/// Observes the system's notifications about the app, until released.
package final class NotificationWatch: Sendable {
    // By name, because app extensions must not link the frameworks that define the constants.

    /// The notifications that the app enters the background.
    package static let background = [
        "UIApplicationDidEnterBackgroundNotification", "NSApplicationDidResignActiveNotification",
        "com.optimizely.watchAppDidEnterBackgroundNotification",
    ]

    private let center: NotificationCenter
    private let observers: UncheckedSendable<[any NSObjectProtocol]>

    /// Calls `body` with the name of each of these notifications when it is posted to the current environment's
    /// notification center.
    package init(_ names: [String], _ body: @escaping @Sendable (String) -> Void) {
        let center = HostEnvironment.current.notifications
        self.center = center
        observers = UncheckedSendable(
            names.map { name in
                center.addObserver(forName: .init(name), object: nil, queue: nil) { _ in body(name) }
            })
    }

    deinit { for observer in observers.value { center.removeObserver(observer) } }
}
