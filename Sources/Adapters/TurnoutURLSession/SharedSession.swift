import Dispatch
import Foundation
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The session, and its connections, that all transports share.
final class SharedSession: Sendable {
    /// Created by the first request. One per process, because a session owns threads and idle connections.
    ///
    /// More connections than the default of six: an unresponsive service must not block the others on its host.
    static let current = SharedSession(connectionsPerHost: 16)
    /// For streams, created by the first one: they occupy connections for as long as they last, and must not hold up
    /// other requests.
    static let streams = SharedSession(connectionsPerHost: 1_000)

    private let session: URLSession
    private let delegate = SessionDelegate()
    // On Linux calls to the session block, for longer while it decompresses data, so callers must not make them. A
    // serial queue, because concurrent ones use the threads of Swift concurrency.
    private let queue = DispatchQueue(label: "turnout.transport")
    /// Runs the deadlines of requests. Separate from the threads of Swift concurrency: deadlines must hold even if
    /// callers block all of those.
    let deadlines = DispatchQueue(label: "turnout.transport.deadlines")

    private init(connectionsPerHost: Int) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCredentialStorage = nil
        configuration.httpMaximumConnectionsPerHost = connectionsPerHost
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    /// Sends a request, and reports its progress to an exchange.
    func send(_ request: URLRequest, for exchange: SessionExchange) {
        queue.async { [self] in
            let task = session.dataTask(with: request)
            delegate.add(exchange, for: task)
            if exchange.take(task) { task.resume() } else { forget(task) }
        }
    }

    /// Cancels a task, unless it is over, and stops reporting it.
    func forget(_ task: URLSessionTask) {
        if delegate.take(task) != nil { cancel(task) }
    }

    func cancel(_ task: URLSessionTask) { queue.async { task.cancel() } }
}

/// Forwards the session's callbacks to exchanges, by task identifier.
private final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Locked<[Int: SessionExchange]>([:])

    /// Registers the exchange for a task.
    func add(_ exchange: SessionExchange, for task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    /// Removes and returns the exchange of a task, or nil if there is none.
    func take(_ task: URLSessionTask) -> SessionExchange? {
        exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    }

    private func exchange(of task: URLSessionTask) -> SessionExchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.received(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.received(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // Not followed: the redirect is the response.
        completionHandler(nil)
    }

    #if canImport(FoundationNetworking)
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
        ) {
            // An idle connection broke, and the session wants to resend the body. On Linux it cannot: it would send
            // nothing, and wait for a response until the deadline.
            take(task)?.lostConnection()
            completionHandler(nil)
            SharedSession.current.cancel(task)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            // The whole response has arrived. On Linux the session would wait forever for credentials.
            take(task)?.completed(task.response, nil)
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    #endif

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        take(task)?.completed(task.response, error)
    }
}
