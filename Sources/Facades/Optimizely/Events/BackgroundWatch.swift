import Foundation
import TurnoutClient

/// Does something when the app goes to the background, where the system may end it at any time.
///
/// Servers have no background, and nobody posts there what this waits for.
package final class BackgroundWatch: Sendable {
    /// What the systems post; by name, because what defines the names must not be linked by extensions of apps.
    static let notifications = [
        "UIApplicationDidEnterBackgroundNotification", "NSApplicationDidResignActiveNotification",
        "com.optimizely.watchAppDidEnterBackgroundNotification",
    ].map { NSNotification.Name($0) }

    private let observers: Handed<[any NSObjectProtocol]>

    /// Watches until it is released. The system is asked for the time that `body` takes.
    package init(_ body: @escaping @Sendable () async -> Void) {
        let observers = Self.notifications.map { name in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in Self.run(body) }
        }
        self.observers = Handed(observers)
    }

    deinit { for observer in observers.value { NotificationCenter.default.removeObserver(observer) } }

    private static func run(_ body: @escaping @Sendable () async -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task(executorPreference: DispatchExecutor.waitedFor) {
            await body()
            done.signal()
        }
        #if os(iOS) || os(tvOS) || os(watchOS)
            // As long as this block runs, the app does. It is called once more if the time is up before.
            ProcessInfo.processInfo.performExpiringActivity(withReason: "sending events") { isExpired in
                if isExpired { done.signal() } else { done.wait() }
            }
        #endif
    }
}
