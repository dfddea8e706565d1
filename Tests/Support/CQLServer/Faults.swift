/// What a node does with a request instead of answering it.
package enum Fault: Sendable, Equatable {
    case unavailable
    /// The write is there, if `isApplied`, but the answer says that it may not be.
    case writeTimeout(isApplied: Bool)
    case readTimeout
    case writeFailure
    case readFailure
    case overloaded
    case bootstrapping
    case serverError
    case invalid
    case syntax
    case unauthorized
    case unconfiguredTable
    /// No answer ever. The write is there if `isApplied`.
    case silence(isApplied: Bool)
    /// The connection ends in the middle of the answer. The write is there.
    case disconnection
}

/// The requests that a fault is for.
package enum FaultyRequests: String, Sendable {
    case all
    case reads
    case writes
}

/// The faults that wait for requests, and the delays.
struct Faults: Sendable {
    private struct Entry: Sendable {
        let fault: Fault
        let requests: FaultyRequests
        let node: Int?
        var times: Int
    }

    private var entries: [Entry] = []
    /// Nanoseconds, by node.
    private var delays: [Int]

    init(nodes: Int) { delays = Array(repeating: 0, count: nodes) }

    mutating func add(_ fault: Fault, _ requests: FaultyRequests, times: Int, node: Int?) {
        entries.append(Entry(fault: fault, requests: requests, node: node, times: times))
    }

    mutating func setDelay(_ nanoseconds: Int, node: Int?) {
        for index in delays.indices where node == nil || node == index { delays[index] = nanoseconds }
    }

    mutating func removeAll() { self = Faults(nodes: delays.count) }

    func delay(of node: Int) -> Int { delays[node] }

    /// The fault of a request, which is then used once.
    mutating func next(node: Int, isWrite: Bool) -> Fault? {
        guard !entries.isEmpty else { return nil }
        let index = entries.firstIndex { entry in
            (entry.node == nil || entry.node == node)
                && (entry.requests == .all || (entry.requests == .writes) == isWrite)
        }
        guard let index else { return nil }
        let fault = entries[index].fault
        entries[index].times -= 1
        if entries[index].times <= 0 { entries.remove(at: index) }
        return fault
    }
}

/// The requests that a node has got.
package struct RequestCounts: Sendable, Equatable {
    /// Queries of rows.
    package fileprivate(set) var reads = 0
    /// Changes of rows; a batch is one.
    package fileprivate(set) var writes = 0
    /// Statements to prepare.
    package internal(set) var preparations = 0
    /// Connections that were opened.
    package internal(set) var connections = 0
    /// How often each statement on rows ran, by its text, also in batches.
    package internal(set) var statements: [String: Int] = [:]

    mutating func count(isWrite: Bool) { if isWrite { writes += 1 } else { reads += 1 } }
}
