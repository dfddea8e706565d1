import Foundation

/// An HTTP server in a separate process, on a free port of 127.0.0.1. It sends scripted responses, valid or not, and
/// records its requests.
///
/// ```swift
/// let server = try LoopbackServer()
/// try server.reply(to: "/v1/events", with: .status(500), times: 2)
/// … // two refusals, then 204
/// #expect(try server.requests(to: "/v1/events").count == 3)
/// ```
///
/// By default it responds with 204 to a `POST` whose path ends in `/events`, as described in `EchoPeer` to `/echo`,
/// `/status/503` and `/never`, and otherwise with 404.
///
/// A path that ends in `*` matches all paths with that prefix; the longest match is used. A request gets the next reply
/// queued for its path, otherwise a random failure, otherwise the permanent reply, otherwise a datafile.
///
/// The process ends when this value is released, and also if the process of the tests is killed.
package final class LoopbackServer: Sendable {
    /// An error of the server itself.
    package struct Failure: Error, CustomStringConvertible {
        /// The description of the error.
        package let description: String
    }

    /// The port for requests and control commands.
    package let port: UInt16
    private let process: ServerProcess

    /// Starts a server.
    ///
    /// - Throws: `Failure` if there is no `python3`.
    package init() throws {
        process = try ServerProcess()
        port = process.port
    }

    deinit { stop() }

    /// The base address, without a trailing slash; paths are appended to it.
    package var address: String { "http://127.0.0.1:\(port)" }

    /// The id of the server's process.
    package var processID: Int32 { process.id }

    /// Ends the server, and waits until it has ended.
    package func stop() { process.stop() }

    // MARK: - Replies

    /// Queues a reply for the next requests.
    package func reply(to path: String, with reply: Reply, times: Int = 1) throws {
        try command("reply", ReplyArguments(path: path, reply: reply, times: times))
    }

    /// Sets the permanent reply; nil restores the default.
    package func always(_ reply: Reply?, to path: String) throws {
        try command("always", ReplyArguments(path: path, reply: reply, times: nil))
    }

    /// Makes a random part of the requests fail. The seed selects the same requests in each run, in order of arrival.
    ///
    /// - Parameters:
    ///   - path: The path of the requests.
    ///   - fraction: The fraction that fails, from 0 to 1; 0 ends the failures.
    ///   - seed: The seed of the selection.
    ///   - replies: The failures, with equal probability.
    /// - Throws: `Failure` if the server has ended.
    package func fail(
        _ path: String, fraction: Double, seed: UInt64,
        with replies: [Reply] = [.status(500), .status(503), .status(429), .reset]
    ) throws {
        try command("fail", FailArguments(path: path, fraction: fraction, seed: seed, replies: replies))
    }

    /// Serves a datafile from now on, with 304 for unchanged copies.
    ///
    /// - Parameters:
    ///   - datafile: The content.
    ///   - path: The path, without `*`.
    ///   - lastModified: The header `Last-Modified`, which is compared with `If-Modified-Since`. Default: none.
    ///   - etag: The header `ETag` with quotes, which is compared with `If-None-Match`. Default: none.
    /// - Throws: `Failure` if the server has ended.
    package func publish(datafile: [UInt8], path: String, lastModified: String? = nil, etag: String? = nil) throws {
        try command(
            "publish", PublishArguments(path: path, body: Data(datafile), lastModified: lastModified, etag: etag))
    }

    // MARK: - Requests

    /// The recorded requests, oldest first; with a path, those for that path and any query.
    package func requests(to path: String? = nil) throws -> [ReceivedRequest] {
        try command("requests", PathArguments(path: path))
    }

    /// Waits for a number of requests, and returns the recorded requests.
    ///
    /// - Throws: `Failure` after 30 seconds.
    package func requests(to path: String? = nil, atLeast count: Int) async throws -> [ReceivedRequest] {
        var found: [ReceivedRequest] = []
        try await wait(for: "\(count) requests") {
            found = try requests(to: path)
            return found.count >= count
        }
        return found
    }

    /// Waits until the statistics meet a condition.
    ///
    /// - Throws: `Failure` after 30 seconds.
    package func wait(until isTrue: (Statistics) -> Bool) async throws {
        try await wait(for: "its numbers") { isTrue(try statistics) }
    }

    private func wait(for what: String, _ isTrue: () throws -> Bool) async throws {
        let deadline = ContinuousClock.now.advanced(by: .seconds(30))
        while try !isTrue() {
            guard ContinuousClock.now < deadline else { throw Failure(description: "waited in vain for \(what)") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// The statistics of the server.
    package var statistics: Statistics { get throws { try command("statistics", NoArguments()) } }

    /// Sets whether the server counts how often it accepted each event, instead of recording requests to paths that end
    /// in `/events`. For long runs; off by default.
    package func countEvents(_ isOn: Bool = true) throws { try command("count-events", CountArguments(isOn: isOn)) }

    /// How often each event was accepted, by uuid: the number of requests with it that got a status from 200 to 299.
    /// Requires `countEvents()`.
    package var acceptedEventCounts: [String: Int] { get throws { try command("accepted-events", NoArguments()) } }

    /// Clears the recorded requests and accepted events and, with `script`, the replies.
    package func forget(script: Bool = false) throws { try command("forget", ForgetArguments(script: script)) }

    // MARK: - Commands

    private func command(_ name: String, _ arguments: some Encodable) throws {
        _ = try ControlCall(port: port).run(name, JSONEncoder().encode(arguments))
    }

    private func command<Result: Decodable>(_ name: String, _ arguments: some Encodable) throws -> Result {
        let response = try ControlCall(port: port).run(name, JSONEncoder().encode(arguments))
        return try JSONDecoder().decode(Result.self, from: response)
    }
}

private struct NoArguments: Encodable {}

private struct ReplyArguments: Encodable {
    var path: String
    var reply: Reply?
    var times: Int?
}

private struct FailArguments: Encodable {
    var path: String
    var fraction: Double
    var seed: UInt64
    var replies: [Reply]
}

private struct PublishArguments: Encodable {
    var path: String
    var body: Data
    var lastModified: String?
    var etag: String?
}

private struct PathArguments: Encodable { var path: String? }
private struct CountArguments: Encodable { var isOn: Bool }
private struct ForgetArguments: Encodable { var script: Bool }
