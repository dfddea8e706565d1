import Foundation

/// Hears what the system says of the app, until it is released.
package final class NotificationWatch: Sendable {
    // By name, because what defines the names must not be linked by extensions of apps.

    /// The app goes to the background.
    package static let background = [
        "UIApplicationDidEnterBackgroundNotification", "NSApplicationDidResignActiveNotification",
        "com.optimizely.watchAppDidEnterBackgroundNotification",
    ]

    private let center: NotificationCenter
    private let observers: Handed<[any NSObjectProtocol]>

    /// Calls `body` with each of these names when it is posted where the world's systems post.
    package init(_ names: [String], _ body: @escaping @Sendable (String) -> Void) {
        let center = World.current.notifications
        self.center = center
        observers = Handed(
            names.map { name in
                center.addObserver(forName: .init(name), object: nil, queue: nil) { _ in body(name) }
            })
    }

    deinit { for observer in observers.value { center.removeObserver(observer) } }
}
