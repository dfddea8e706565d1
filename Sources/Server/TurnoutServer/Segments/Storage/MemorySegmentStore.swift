import TurnoutClient

/// Lists of users and devices in memory, for servers without a folder and for tests.
package final class MemorySegmentStore: SegmentStore {
    private struct Device {
        var user: String
        var last: Int64
    }

    private struct State {
        var lists: [String: Set<String>] = [:]
        var devices: [String: Device] = [:]
        var devicesOfUser: [String: Set<String>] = [:]

        var counts: SegmentCounts {
            var counts = SegmentCounts()
            counts.lists = lists.count
            counts.members = lists.values.reduce(0) { $0 + $1.count }
            counts.devices = devices.count
            return counts
        }

        var size: Int { counts.members + devices.count }

        mutating func unlink(_ device: String) {
            guard let user = devices.removeValue(forKey: device)?.user else { return }
            devicesOfUser[user]?.remove(device)
            if devicesOfUser[user]?.isEmpty == true { devicesOfUser[user] = nil }
        }
    }

    private let limits: SegmentLimits
    private let state = Locked(State())

    /// Creates an empty store.
    ///
    /// - Parameter limits: What it may hold. Default: the standard limits.
    package init(_ limits: SegmentLimits = SegmentLimits()) { self.limits = limits }

    package func ids(of id: String) -> [String] {
        state.withLock { state in
            let user = state.devices[id]?.user ?? id
            let latest = (state.devicesOfUser[user] ?? []).sorted {
                (state.devices[$0]?.last ?? 0, $1) > (state.devices[$1]?.last ?? 0, $0)
            }
            return [id] + ([user] + latest.prefix(limits.devicesOfUser)).filter { $0 != id }
        }
    }

    package func segments(of ids: [String]) -> Set<String> {
        state.withLock { state in
            Set(state.lists.filter { list in ids.contains { list.value.contains($0) } }.keys)
        }
    }

    package func lists() -> [SegmentList] {
        state.withLock { state in
            state.lists.map { SegmentList(name: $0.key, count: $0.value.count) }.sorted { $0.name < $1.name }
        }
    }

    package func users(of segment: String, after last: String, limit: Int) -> [String]? {
        state.withLock { state in
            state.lists[segment].map { users in
                users.filter { last.utf8.lexicographicallyPrecedes($0.utf8) }
                    .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.prefix(limit).map(\.self)
            }
        }
    }

    package func change(_ segment: String, _ change: SegmentChange) throws -> SegmentChange.Counts {
        try state.withLock { state in
            let before = state.lists[segment]
            if before == nil, state.lists.count >= limits.lists { throw SegmentLimitError.lists(limits.lists) }
            var users = before ?? []
            switch change {
            case .add(let added): users.formUnion(added)
            case .remove(let removed): users.subtract(removed)
            case .replace(let all): users = Set(all)
            }
            let growth = users.count - (before?.count ?? 0)
            if growth > 0, state.size + growth > limits.users { throw SegmentLimitError.users(limits.users) }
            state.lists[segment] = users
            var counts = SegmentChange.Counts()
            counts.added = users.subtracting(before ?? []).count
            counts.removed = (before ?? []).subtracting(users).count
            return counts
        }
    }

    package func removeList(_ segment: String) -> Bool {
        state.withLock { $0.lists.removeValue(forKey: segment) != nil }
    }

    package func link(_ links: [DeviceLink], at time: Int64) -> Int {
        state.withLock { state in
            var refused = 0
            for link in links {
                guard state.devices[link.device] != nil || state.size < limits.users else {
                    refused += 1
                    continue
                }
                state.unlink(link.device)
                state.devices[link.device] = Device(user: link.user, last: time)
                state.devicesOfUser[link.user, default: []].insert(link.device)
            }
            return refused
        }
    }

    package func forget(_ ids: [String]) -> Bool {
        state.withLock { state in
            let before = state.size
            for name in state.lists.keys { state.lists[name]?.subtract(ids) }
            for id in ids {
                state.unlink(id)
                for device in state.devicesOfUser[id] ?? [] { state.unlink(device) }
            }
            return state.size < before
        }
    }

    package func expireDevices(before time: Int64) -> Int {
        state.withLock { state in
            let old = state.devices.filter { $0.value.last < time }.keys
            for device in old { state.unlink(device) }
            return old.count
        }
    }

    package func counts() -> SegmentCounts { state.withLock { $0.counts } }
}
