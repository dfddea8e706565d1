import Foundation

/// An HTTP server in a process of its own, on a free port of 127.0.0.1. It answers as it is told to, well or badly, and
/// remembers what it was asked.
///
/// ```swift
/// let server = try LoopbackServer()
/// try server.reply(to: "/v1/events", with: .status(500), times: 2)
/// … // two refusals, then 204
/// #expect(try server.requests(to: "/v1/events").count == 3)
/// ```
///
/// Unless told otherwise it answers 204 to a `POST` whose path ends in `/events`, as `EchoPeer` describes to `/echo`,
/// `/status/503` and `/never`, and else 404.
///
/// Where a path is expected, one that ends in `*` means all paths that begin with what is before it; the longest one
/// counts. A request is answered by what is queued for its path, else by a failure by chance, else by the standing
/// answer, else by a datafile.
///
/// The process ends with this value, and also if the process of the tests is killed.
package final class LoopbackServer: Sendable {
    /// What went wrong with the server itself.
    package struct Failure: Error, CustomStringConvertible {
        /// What went wrong.
        package let description: String
    }

    /// Where it listens. Control commands go there, too.
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

    /// The address, without a slash at the end: paths are appended to it.
    package var address: String { "http://127.0.0.1:\(port)" }

    /// The id of the server's process.
    package var processID: Int32 { process.id }

    /// Ends the server, and waits until it has ended.
    package func stop() { process.stop() }

    // MARK: - Answers

    /// Answers the next requests so, after those that are queued already.
    package func reply(to path: String, with reply: Reply, times: Int = 1) throws {
        try command("reply", ReplyArguments(path: path, reply: reply, times: times))
    }

    /// Answers so from now on; nil: as usual.
    package func always(_ reply: Reply?, to path: String) throws {
        try command("always", ReplyArguments(path: path, reply: reply, times: nil))
    }

    /// Lets some requests fail by chance. The seed decides which: the same ones in each run, in order of arrival.
    ///
    /// - Parameters:
    ///   - path: Which requests.
    ///   - fraction: How many of them, from 0 to 1. 0 ends it.
    ///   - seed: Decides which.
    ///   - replies: How they fail, all equally often.
    /// - Throws: `Failure` if the server is gone.
    package func fail(
        _ path: String, fraction: Double, seed: UInt64,
        with replies: [Reply] = [.status(500), .status(503), .status(429), .reset]
    ) throws {
        try command("fail", FailArguments(path: path, fraction: fraction, seed: seed, replies: replies))
    }

    /// Answers a `GET` with a datafile, and 304 to those who have it, from now on.
    ///
    /// - Parameters:
    ///   - datafile: The content.
    ///   - path: Where it is, without `*`.
    ///   - lastModified: The header of that name, and what `If-Modified-Since` is compared with. Default: none.
    ///   - etag: The header of that name, with its quotes, and what `If-None-Match` is compared with. Default: none.
    /// - Throws: `Failure` if the server is gone.
    package func publish(
        datafile: [UInt8], path: String, lastModified: String? = nil, etag: String? = nil
    ) throws {
        try command(
            "publish",
            PublishArguments(path: path, body: Data(datafile), lastModified: lastModified, etag: etag))
    }

    // MARK: - What it was asked

    /// What it was asked, oldest first; with a path, only requests for that, whatever their query is.
    package func requests(to path: String? = nil) throws -> [ReceivedRequest] {
        try command("requests", PathArguments(path: path))
    }

    /// Waits until it was asked that often, and returns what it was asked.
    ///
    /// - Throws: `Failure` if that takes minutes.
    package func requests(to path: String? = nil, atLeast count: Int) async throws -> [ReceivedRequest] {
        var found: [ReceivedRequest] = []
        try await wait(for: "\(count) requests") {
            found = try requests(to: path)
            return found.count >= count
        }
        return found
    }

    /// Waits until something is true of its numbers.
    ///
    /// - Throws: `Failure` if that takes minutes.
    package func wait(until isTrue: (Statistics) -> Bool) async throws {
        try await wait(for: "its numbers") { isTrue(try statistics) }
    }

    private func wait(for what: String, _ isTrue: () throws -> Bool) async throws {
        let deadline = ContinuousClock.now.advanced(by: .seconds(300))
        while try !isTrue() {
            guard ContinuousClock.now < deadline else { throw Failure(description: "waited in vain for \(what)") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// How much it did.
    package var statistics: Statistics {
        get throws { try command("statistics", NoArguments()) }
    }

    /// Whether it counts how often it accepted each event, instead of keeping the requests to paths that end in
    /// `/events`. That is for long runs. At first it does not.
    package func countEvents(_ isOn: Bool = true) throws { try command("count-events", CountArguments(isOn: isOn)) }

    /// How often each event was accepted, by its uuid: in how many requests that were answered with 200 to 299.
    /// Only if `countEvents()` was called before.
    package var acceptedEventCounts: [String: Int] {
        get throws { try command("accepted-events", NoArguments()) }
    }

    /// Forgets what it was asked and which events it accepted, and with `script` also what it was told to answer.
    package func forget(script: Bool = false) throws { try command("forget", ForgetArguments(script: script)) }

    // MARK: - Talking to it

    private func command(_ name: String, _ arguments: some Encodable) throws {
        _ = try ControlCall(port: port).run(name, JSONEncoder().encode(arguments))
    }

    private func command<Result: Decodable>(_ name: String, _ arguments: some Encodable) throws -> Result {
        let answer = try ControlCall(port: port).run(name, JSONEncoder().encode(arguments))
        return try JSONDecoder().decode(Result.self, from: answer)
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
