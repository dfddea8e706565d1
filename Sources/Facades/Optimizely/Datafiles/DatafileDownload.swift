import Foundation
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How a request for a datafile ended.
enum DatafileReply {
    /// There was no answer; why.
    case failed(String)
    /// There was an answer that is not HTTP.
    case foreign
    /// There was an answer, with its content in a file, if it could be written.
    case answer(HTTPURLResponse, file: URL?, body: Data?)
}

/// Sends the request for a datafile, through the client's transport or a session that the program brought.
enum DatafileDownload {
    /// Sends the request through a transport.
    static func reply(
        to request: URLRequest, through transport: (any Transport)?, within limit: Double?
    ) async -> DatafileReply {
        guard let transport else { return .failed("no network transport") }
        guard let url = request.url else { return .failed("no address") }
        let seconds = limit.flatMap { $0 > 0 ? $0 : nil } ?? request.timeoutInterval
        let wanted = HTTPRequest(
            request.httpMethod == "POST" ? .post : .get, url.absoluteString,
            headers: request.allHTTPHeaderFields ?? [:], body: Array(request.httpBody ?? Data()),
            deadline: .seconds(min(max(seconds, 0), 604_800)))
        do {
            let answer = try await transport.send(wanted)
            guard
                let response = HTTPURLResponse(
                    url: url, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: answer.headers)
            else { return .foreign }
            guard answer.status == 200 else { return .answer(response, file: nil, body: nil) }
            let body = Data(answer.body)
            return .answer(response, file: temporaryFile(body), body: body)
        } catch {
            return .failed("\(error)")
        }
    }

    /// Sends the request through a session that somebody's override made, and ends the session.
    static func reply(
        to request: URLRequest, through session: URLSession, then body: @escaping (DatafileReply) -> Void
    ) {
        let done = Handed(body)
        let task = session.downloadTask(with: request) { file, response, error in
            if let error { return done.value(.failed(error.localizedDescription)) }
            guard let response = response as? HTTPURLResponse else { return done.value(.foreign) }
            done.value(.answer(response, file: file, body: nil))
        }
        task.resume()
        // As 5.4.2 does: overrides make a session for each call.
        if session !== URLSession.shared { session.finishTasksAndInvalidate() }
    }

    /// A file for ``DefaultDatafileHandler/getResponseData(sdkKey:response:url:)``, or nil: it cannot be written.
    private static func temporaryFile(_ body: Data) -> URL? {
        let manager = FileManager.default
        let file = manager.temporaryDirectory.appendingPathComponent("turnout-" + UUID().uuidString)
        let written = manager.createFile(atPath: file.path, contents: body, attributes: [.posixPermissions: 0o600])
        return written ? file : nil
    }
}
