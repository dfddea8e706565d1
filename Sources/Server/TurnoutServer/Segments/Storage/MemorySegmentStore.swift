package import TurnoutClient

/// Lists of users and devices in memory, for servers without a folder and for tests. Ids and names are compared by
/// their bytes, as in files.
package final class MemorySegmentStore: SegmentStore {
    private struct Device {
        var user: ByteKey
        var last: Int64
    }

    private struct State {
        var lists: [ByteKey: Set<ByteKey>] = [:]
        var devices: [ByteKey: Device] = [:]
        var devicesOfUser: [ByteKey: Set<ByteKey>] = [:]

        var counts: SegmentCounts {
            var counts = SegmentCounts()
            counts.lists = lists.count
            counts.members = lists.values.reduce(0) { $0 + $1.count }
            counts.devices = devices.count
            return counts
        }

        var size: Int { counts.members + devices.count }

        mutating func unlink(_ device: ByteKey) {
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
        let id = ByteKey(id)
        return state.withLock { state in
            let user = state.devices[id]?.user ?? id
            let latest = (state.devicesOfUser[user] ?? []).sorted { left, right in
                let times = [left, right].map { state.devices[$0]?.last ?? 0 }
                return times[0] == times[1] ? left.precedes(right) : times[0] > times[1]
            }
            return ([id] + ([user] + latest.prefix(limits.devicesOfUser)).filter { $0 != id }).map(\.text)
        }
    }

    package func devices(of user: String) -> [String] {
        state.withLock { ($0.devicesOfUser[ByteKey(user)] ?? []).map(\.text).sorted() }
    }

    package func segments(of ids: [String]) -> Set<ByteKey> {
        let ids = ids.map(ByteKey.init)
        return state.withLock { state in
            Set(state.lists.filter { list in ids.contains { list.value.contains($0) } }.keys)
        }
    }

    package func lists() -> [SegmentList] {
        state.withLock { state in
            state.lists.sorted { $0.key.precedes($1.key) }.map { SegmentList(name: $0.key.text, count: $0.value.count) }
        }
    }

    package func users(of segment: String, after last: String, limit: Int) -> [String]? {
        let last = ByteKey(last)
        return state.withLock { state in
            state.lists[ByteKey(segment)].map { users in
                users.filter { last.precedes($0) }.sorted { $0.precedes($1) }.prefix(limit).map(\.text)
            }
        }
    }

    package func change(_ segment: String, _ change: SegmentChange) throws -> SegmentChange.Counts {
        let segment = ByteKey(segment)
        return try state.withLock { state in
            let before = state.lists[segment]
            var counts = SegmentChange.Counts()
            if before == nil {
                if case .remove = change { return counts }
                guard state.lists.count < limits.lists else { throw SegmentLimitError.lists(limits.lists) }
            }
            var users = before ?? []
            switch change {
            case .add(let added): users.formUnion(added.map(ByteKey.init))
            case .remove(let removed): users.subtract(removed.map(ByteKey.init))
            case .replace(let all): users = Set(all.map(ByteKey.init))
            }
            counts.added = users.subtracting(before ?? []).count
            counts.removed = (before ?? []).subtracting(users).count
            let growth = counts.added - counts.removed
            guard growth <= 0 || state.size + growth <= limits.users else {
                throw SegmentLimitError.users(limits.users)
            }
            state.lists[segment] = users
            return counts
        }
    }

    package func removeList(_ segment: String) -> Bool {
        state.withLock { $0.lists.removeValue(forKey: ByteKey(segment)) != nil }
    }

    package func link(_ links: [DeviceLink], at time: Int64) -> Int {
        state.withLock { state in
            var refused = 0
            for link in links {
                let (device, user) = (ByteKey(link.device), ByteKey(link.user))
                guard state.devices[device] != nil || state.size < limits.users else {
                    refused += 1
                    continue
                }
                state.unlink(device)
                state.devices[device] = Device(user: user, last: time)
                state.devicesOfUser[user, default: []].insert(device)
            }
            return refused
        }
    }

    package func forget(_ ids: [String]) -> Bool {
        let ids = ids.map(ByteKey.init)
        return state.withLock { state in
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

extension ByteKey {
    /// Whether the bytes come first in order.
    fileprivate func precedes(_ other: ByteKey) -> Bool {
        text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}
