import CQLServer

/// A line of the command's input. Nodes are numbered from 0; without a number, a line is about all of them.
///
///     run STATEMENT                       CQL without markers; answers with the rows
///     fail FAULT TIMES [REQUESTS [NODE]]  REQUESTS is all, reads or writes
///     delay MILLISECONDS [NODE]           answers to statements, except those of the system's tables
///     heal                                ends delays and faults
///     down NODE                           closes the port and the connections
///     up NODE
///     pause NODE                          reads and answers nothing
///     resume NODE
///     event up|down|new|removed NODE      announces this, and changes nothing
///     forget [NODE]                       prepared statements
///     advance SECONDS                     the clock of times to live
///     counts NODE                         answers with reads, writes, preparations and connections
///     count NODE STATEMENT                answers with the number of runs of the statement with this text
///     replicas KEYSPACE KEY               answers with the nodes of a partition
///     reset                               counts from zero
///
/// FAULT is one of: unavailable, write-timeout, applied-write-timeout, read-timeout, write-failure, read-failure,
/// overloaded, bootstrapping, server-error, invalid, syntax, unauthorized, unconfigured, silence, applied-silence,
/// disconnection.
///
/// The answer is one line: `ok`, what the line asks for, or `error: ` and the reason.
struct ControlLine {
    private let words: [String]
    private let text: String

    init(_ text: String) {
        self.text = text
        words = text.split(separator: " ").map(String.init)
    }

    private static let faults: [String: Fault] = [
        "unavailable": .unavailable, "write-timeout": .writeTimeout(isApplied: false),
        "applied-write-timeout": .writeTimeout(isApplied: true), "read-timeout": .readTimeout,
        "write-failure": .writeFailure, "read-failure": .readFailure, "overloaded": .overloaded,
        "bootstrapping": .bootstrapping, "server-error": .serverError, "invalid": .invalid, "syntax": .syntax,
        "unauthorized": .unauthorized, "unconfigured": .unconfiguredTable, "silence": .silence(isApplied: false),
        "applied-silence": .silence(isApplied: true), "disconnection": .disconnection,
    ]

    private func unknown() -> StartOptions.Unknown {
        StartOptions.Unknown(description: "the line is unknown or not complete: \(text)")
    }

    private func word(_ index: Int) throws -> String {
        guard words.indices.contains(index) else { throw unknown() }
        return words[index]
    }

    private func number(_ index: Int) throws -> Int {
        guard let number = Int(try word(index)) else { throw unknown() }
        return number
    }

    /// A node's number.
    private func node(_ index: Int, of server: CQLServer) throws -> Int {
        let node = try number(index)
        guard server.addresses.indices.contains(node) else { throw unknown() }
        return node
    }

    /// A node's number; nil if the line has none.
    private func anyNode(_ index: Int, of server: CQLServer) throws -> Int? {
        words.indices.contains(index) ? try node(index, of: server) : nil
    }

    /// The text after the first words.
    private func rest(after count: Int) -> String {
        text.split(separator: " ", maxSplits: count).dropFirst(count).joined(separator: " ")
    }

    /// Carries the line out, and returns the answer.
    func run(on server: CQLServer) throws -> String {
        switch try word(0) {
        case "run": return "\(try server.run(rest(after: 1)))"
        case "counts":
            let counts = server.counts(of: try node(1, of: server))
            return "reads \(counts.reads) writes \(counts.writes) preparations \(counts.preparations) "
                + "connections \(counts.connections)"
        case "count": return "\(server.counts(of: try node(1, of: server)).statements[rest(after: 2)] ?? 0)"
        case "replicas":
            return server.replicas(of: try word(2), in: try word(1)).map(String.init).joined(separator: " ")
        case "fail":
            let name = words.count > 3 ? words[3] : "all"
            guard let fault = Self.faults[try word(1)], let requests = FaultyRequests(rawValue: name) else {
                throw unknown()
            }
            server.fail(fault, requests, times: try number(2), node: try anyNode(4, of: server))
        default: try change(server)
        }
        return "ok"
    }

    private func change(_ server: CQLServer) throws {
        switch try word(0) {
        case "delay": server.delay(.milliseconds(try number(1)), node: try anyNode(2, of: server))
        case "heal": server.removeFaults()
        case "down": server.takeDown(try node(1, of: server))
        case "up": server.bringUp(try node(1, of: server))
        case "pause": server.pause(try node(1, of: server))
        case "resume": server.resume(try node(1, of: server))
        case "forget": server.forgetPrepared(node: try anyNode(1, of: server))
        case "advance": server.advanceClock(by: .seconds(try number(1)))
        case "reset": server.resetCounts()
        case "event":
            let node = try node(2, of: server)
            switch try word(1) {
            case "up": server.announce(.status, isNew: true, node: node)
            case "down": server.announce(.status, isNew: false, node: node)
            case "new": server.announce(.topology, isNew: true, node: node)
            case "removed": server.announce(.topology, isNew: false, node: node)
            default: throw unknown()
            }
        default: throw unknown()
        }
    }
}
