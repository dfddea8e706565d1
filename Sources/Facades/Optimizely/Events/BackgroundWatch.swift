import Foundation
import TurnoutClient

/// Does something when the app goes to the background, where the system may end it at any time.
///
/// Servers have no background, and nobody posts there what this waits for.
package final class BackgroundWatch: Sendable {
    private let watch: NotificationWatch

    /// Watches until it is released. The system is asked for the time that `body` takes.
    package init(_ body: @escaping @Sendable () async -> Void) {
        watch = NotificationWatch(NotificationWatch.background) { _ in Self.run(body) }
    }

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
