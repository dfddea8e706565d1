import Dispatch
import Foundation
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The session that all transports share, so that they share its connections, and who hands on what it reports.
final class SharedSession: Sendable {
    /// Made when somebody asks for it: with the first request.
    static let current = SharedSession()

    private let session: URLSession
    private let delegate = SessionDelegate()
    // On Linux, whoever talks to the session waits for it, which takes a while if it decompresses something. That must
    // not be a caller's thread. A queue of its own, because concurrent ones have the threads of Swift's tasks.
    private let queue = DispatchQueue(label: "turnout.transport")

    private init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCredentialStorage = nil
        // More than the usual six: a service that does not answer must not block all others of its host.
        configuration.httpMaximumConnectionsPerHost = 16
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    /// Sends a request, and reports to an exchange what comes of it.
    func send(_ request: URLRequest, for exchange: Exchange) {
        queue.async { [self] in
            let task = session.dataTask(with: request)
            delegate.add(exchange, for: task)
            if exchange.take(task) { task.resume() } else { forget(task) }
        }
    }

    /// Ends a task, unless it is over, and reports no more of it.
    func forget(_ task: URLSessionTask) {
        if delegate.take(task) != nil { cancel(task) }
    }

    /// Ends a task.
    func cancel(_ task: URLSessionTask) { queue.async { task.cancel() } }
}

/// Hands on what the session reports, by the number of the task.
private final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Locked<[Int: Exchange]>([:])

    /// Hands on to an exchange from now on.
    func add(_ exchange: Exchange, for task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    /// Hands on no more. Nil if it did not any more.
    func take(_ task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
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
        // Not followed: the redirect is the answer.
        completionHandler(nil)
    }

    #if canImport(FoundationNetworking)
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
        ) {
            // An open connection broke as it was used, and the session wants to send the body once more. On Linux it
            // cannot: it would send nothing, and wait for an answer until the deadline.
            take(task)?.lostConnection()
            completionHandler(nil)
            SharedSession.current.cancel(task)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            // The whole answer is there. On Linux the session would wait for ever for a name and a password.
            take(task)?.completed(task.response, nil)
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    #endif

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        take(task)?.completed(task.response, error)
    }
}
