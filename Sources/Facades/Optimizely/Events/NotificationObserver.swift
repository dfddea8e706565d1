import Foundation
import TurnoutClient

/// Observes the system's notifications about the app, until released.
package final class NotificationObserver: Sendable {
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
        #if !canImport(Darwin)
            // No system posts them there, and the first observer of a process takes a twentieth of a client's start.
            let names = center === NotificationCenter.default ? [] : names
        #endif
        observers = UncheckedSendable(
            names.map { name in
                center.addObserver(forName: .init(name), object: nil, queue: nil) { _ in body(name) }
            })
    }

    deinit { for observer in observers.value { center.removeObserver(observer) } }
}

/// Runs a closure when the app enters the background, where the system may terminate it at any time.
///
/// On servers the notifications are never posted.
package final class BackgroundObserver: Sendable {
    private let observer: NotificationObserver

    /// Observes until released. `body` runs in time requested from the system.
    package init(_ body: @escaping @Sendable () async -> Void) {
        observer = NotificationObserver(NotificationObserver.background) { _ in Self.run(body) }
    }

    private static func run(_ body: @escaping @Sendable () async -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task.detached(executorPreference: DispatchExecutor.blockingCallers) {
            await body()
            done.signal()
        }
        #if os(iOS) || os(tvOS) || os(watchOS)
            // The app keeps running while this block does. The system calls it again if the time expires first.
            ProcessInfo.processInfo.performExpiringActivity(withReason: "sending events") { isExpired in
                if isExpired { done.signal() } else { done.wait() }
            }
        #endif
    }
}
