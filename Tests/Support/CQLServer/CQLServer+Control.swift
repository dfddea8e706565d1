import TurnoutClient

/// What tests make the nodes do.
extension CQLServer {
    /// Makes the next requests for rows fail.
    ///
    /// - Parameters:
    ///   - fault: What happens.
    ///   - requests: The requests; faults wait for the first ones that they are for.
    ///   - times: The number of requests.
    ///   - node: The node, or nil for any.
    package func fail(_ fault: Fault, _ requests: FaultyRequests = .all, times: Int = 1, node: Int? = nil) {
        shared.state.withLock { $0.faults.add(fault, requests, times: times, node: node) }
    }

    /// Delays the answers to requests for rows and to preparations, but not those to the driver's own queries.
    package func delay(_ duration: Duration, node: Int? = nil) {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        shared.state.withLock { $0.faults.setDelay(nanoseconds, node: node) }
    }

    /// Ends all delays, and removes the faults that still wait.
    package func removeFaults() { shared.state.withLock { $0.faults.removeAll() } }

    /// Closes a node's port and connections; the other nodes report it, and count its replicas as dead.
    package func takeDown(_ node: Int) {
        shared.state.withLock { $0.ring[node].isDown = true }
        shared.call(.takeDown(node))
        announce(.status, isNew: false, node: node)
    }

    /// Opens a node's port again; the other nodes report it.
    package func bringUp(_ node: Int) {
        shared.call(.bringUp(node))
        shared.state.withLock { $0.ring[node].isDown = false }
        announce(.status, isNew: true, node: node)
    }

    /// Makes a node read and answer nothing, as a process that is stopped. Its port stays open.
    package func pause(_ node: Int) { setPaused(true, node) }

    /// Makes a node answer again, also what came in the meantime.
    package func resume(_ node: Int) { setPaused(false, node) }

    private func setPaused(_ isPaused: Bool, _ node: Int) {
        shared.state.withLock { $0.ring[node].isPaused = isPaused }
        shared.call(.look)
    }

    package enum Announcement: Sendable {
        /// A node is up or down.
        case status
        /// A node is new or removed.
        case topology
    }

    /// Sends an event about a node to the drivers that registered for it on other nodes; nothing else changes.
    package func announce(_ announcement: Announcement, isNew: Bool, node: Int) {
        shared.state.withLock { state in
            switch announcement {
            case .status: state.announce("STATUS_CHANGE", isNew ? "UP" : "DOWN", node: node)
            case .topology: state.announce("TOPOLOGY_CHANGE", isNew ? "NEW_NODE" : "REMOVED_NODE", node: node)
            }
        }
        shared.wake()
    }

    /// Makes a node forget its prepared statements, as a restart does.
    ///
    /// - Parameter node: The node, or nil for all.
    package func forgetPrepared(node: Int? = nil) {
        shared.state.withLock { state in
            for index in state.prepared.indices where node == nil || node == index { state.prepared[index] = [:] }
        }
    }

    /// Moves the clock, by which values expire and writes without a timestamp get theirs, forward or back.
    package func advanceClock(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        shared.state.withLock { $0.clockOffset += microseconds }
    }

    /// The requests that a node has got since the start or the last ``resetCounts()``.
    package func counts(of node: Int) -> RequestCounts { shared.state.withLock { $0.counts[node] } }

    /// Counts from zero again.
    package func resetCounts() {
        shared.state.withLock { state in state.counts = state.counts.map { _ in RequestCounts() } }
    }

    /// The nodes with the replicas of a partition, whose key is a text, the first one on the ring first; empty without
    /// the keyspace.
    package func replicas(of key: String, in keyspace: String) -> [Int] {
        shared.state.withLock { state in
            guard let keyspace = state.database.keyspaces[keyspace] else { return [] }
            return state.ring.replicas(of: Murmur3Partitioner.token(of: Array(key.utf8)), in: keyspace)
        }
    }
}
