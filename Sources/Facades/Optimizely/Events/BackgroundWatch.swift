import Foundation
import TurnoutClient

/// Runs a closure when the app enters the background, where the system may terminate it at any time.
///
/// On servers the notifications are never posted.
package final class BackgroundWatch: Sendable {
    private let watch: NotificationWatch

    /// Observes until released. `body` runs in time requested from the system.
    package init(_ body: @escaping @Sendable () async -> Void) {
        watch = NotificationWatch(NotificationWatch.background) { _ in Self.run(body) }
    }

    private static func run(_ body: @escaping @Sendable () async -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task(executorPreference: DispatchExecutor.blockingCallers) {
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
