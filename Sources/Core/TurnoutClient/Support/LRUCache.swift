/// A bounded cache with expiry that evicts the least recently used entry. Recency is tracked to an eighth of the
/// capacity, and exactly if that is below 8.
///
/// A value type; the owner provides the locking and the time.
package struct LRUCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let key: Key
        /// Nil in a free slot, so that removed values are released.
        var value: Value?
        var savedAt: Duration
        var newer = -1
        var older = -1
        /// The number of entries that had been moved to the front when this one was.
        var turn = 0
    }

    /// The maximum number of entries; 0 or less for none.
    package let capacity: Int
    /// How long an entry is valid after it was saved; nil: indefinitely.
    package let lifetime: Duration?

    private var places: [Key: Int] = [:]
    private var entries: [Entry] = []
    private var free: [Int] = []
    private var newest = -1
    private var oldest = -1
    private var turns = 0

    package init(capacity: Int, lifetime: Duration?) {
        self.capacity = capacity
        self.lifetime = lifetime
    }

    /// The number of entries, including expired ones.
    package var count: Int { places.count }

    /// The value for a key, or nil if there is none or it has expired. Marks the entry as most recently used; O(1).
    package mutating func value(for key: Key, at now: Duration) -> Value? {
        guard let place = places[key] else { return nil }
        if let lifetime, now - entries[place].savedAt >= lifetime {
            remove(key)
            return nil
        }
        moveToFront(place)
        return entries[place].value
    }

    /// Stores a value, replacing an earlier one; O(1).
    package mutating func save(_ value: Value, for key: Key, at now: Duration) {
        guard capacity > 0 else { return }
        if let place = places[key] {
            entries[place].value = value
            entries[place].savedAt = now
            return moveToFront(place)
        }
        if places.count >= capacity { remove(entries[oldest].key) }
        let entry = Entry(key: key, value: value, savedAt: now)
        let place = free.popLast() ?? entries.count
        if place == entries.count { entries.append(entry) } else { entries[place] = entry }
        places[key] = place
        linkAsNewest(place)
    }

    /// Changes a value in place, unless it has expired. Affects neither its age nor its recency; O(1).
    package mutating func change(_ key: Key, at now: Duration, _ change: (inout Value) -> Void) {
        guard let place = places[key], var value = entries[place].value else { return }
        if let lifetime, now - entries[place].savedAt >= lifetime { return }
        entries[place].value = nil
        change(&value)
        entries[place].value = value
    }

    /// Changes all values in place; O(n).
    package mutating func changeAll(_ change: (inout Value) -> Void) {
        for place in places.values {
            guard var value = entries[place].value else { continue }
            change(&value)
            entries[place].value = value
        }
    }

    /// Removes an entry; O(1).
    package mutating func remove(_ key: Key) {
        guard let place = places.removeValue(forKey: key) else { return }
        unlink(place)
        entries[place].value = nil
        free.append(place)
    }

    package mutating func removeAll() { self = LRUCache(capacity: capacity, lifetime: lifetime) }

    private mutating func moveToFront(_ place: Int) {
        // Entries in the first eighth are not moved, so in a large cache most accesses write nothing.
        guard place != newest, turns - entries[place].turn > capacity / 8 else { return }
        unlink(place)
        linkAsNewest(place)
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (entries[place].newer, entries[place].older)
        if newer >= 0 { entries[newer].older = older } else { newest = older }
        if older >= 0 { entries[older].newer = newer } else { oldest = newer }
    }

    private mutating func linkAsNewest(_ place: Int) {
        turns += 1
        entries[place].turn = turns
        entries[place].newer = -1
        entries[place].older = newest
        if newest >= 0 { entries[newest].newer = place } else { oldest = place }
        newest = place
    }
}
