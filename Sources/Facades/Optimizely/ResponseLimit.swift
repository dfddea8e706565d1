import Foundation
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The maximum size of a response to a request of a caller's session.
///
/// The session may have a delegate of its own, and tests replace its methods, so the counters of its task are polled.
/// On Linux they show only the length that the server announces; a response without one is refused once it is complete.
struct ResponseLimit: Sendable {
    /// The maximum size, in bytes.
    let bytes: Int

    /// Whether a task receives more.
    func isExceeded(by task: URLSessionTask) -> Bool {
        max(task.countOfBytesReceived, task.countOfBytesExpectedToReceive) > bytes
    }

    /// Cancels a running task when it receives more.
    func enforce(on task: URLSessionTask) {
        Task(executorPreference: DispatchExecutor.blockingCallers) {
            while task.state == .running {
                guard !isExceeded(by: task) else { return task.cancel() }
                try? await ContinuousClock().pause(for: .milliseconds(20))
            }
        }
    }

    /// The error for a response that is larger.
    func error(_ host: String) -> TransportError {
        TransportError(.tooLarge, "the body of the response from \(host) is larger than \(bytes) bytes")
    }
}
