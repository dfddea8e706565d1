import Testing
import TurnoutClient

/// The cache holds the most recently used values while they are fresh.
@Suite struct LRUCacheTests {
    private func cache(capacity: Int = 3, lifetime: Duration? = nil, _ keys: String...) -> LRUCache<String, Int> {
        var cache = LRUCache<String, Int>(capacity: capacity, lifetime: lifetime)
        for (number, key) in keys.enumerated() { cache.save(number, for: key, at: .zero) }
        return cache
    }

    @Test func valuesCanBeReadBack() {
        var cache = cache("a", "b")
        #expect(cache.value(for: "a", at: .zero) == 0)
        #expect(cache.value(for: "b", at: .zero) == 1)
        #expect(cache.value(for: "c", at: .zero) == nil)
        #expect(cache.count == 2)
    }

    @Test func leastRecentlyUsedEntryIsEvictedFirst() {
        var cache = cache("a", "b", "c")
        _ = cache.value(for: "a", at: .zero)
        cache.save(3, for: "d", at: .zero)
        #expect(cache.value(for: "b", at: .zero) == nil)
        #expect(["a", "c", "d"].map { cache.value(for: $0, at: .zero) } == [0, 2, 3])
    }

    @Test func savingAgainCountsAsUse() {
        var cache = cache("a", "b", "c")
        cache.save(9, for: "a", at: .zero)
        cache.save(3, for: "d", at: .zero)
        #expect(cache.value(for: "a", at: .zero) == 9)
        #expect(cache.value(for: "b", at: .zero) == nil)
        #expect(cache.count == 3)
    }

    @Test func entriesExpire() {
        var cache = cache(lifetime: .seconds(10), "a")
        #expect(cache.value(for: "a", at: .seconds(9.999)) == 0)
        #expect(cache.value(for: "a", at: .seconds(10)) == nil)
        #expect(cache.count == 0)
    }

    @Test func readingDoesNotExtendTheLifetime() {
        var cache = cache(lifetime: .seconds(10), "a")
        _ = cache.value(for: "a", at: .seconds(8))
        #expect(cache.value(for: "a", at: .seconds(10)) == nil)
        cache.save(1, for: "a", at: .seconds(10))
        cache.save(2, for: "a", at: .seconds(15))
        #expect(cache.value(for: "a", at: .seconds(24)) == 2)
    }

    @Test(arguments: [0, -1]) func cachesOfSizeZeroAreEmpty(capacity: Int) {
        var cache = cache(capacity: capacity, "a")
        #expect(cache.count == 0)
        #expect(cache.value(for: "a", at: .zero) == nil)
    }

    @Test func removedEntriesAreAbsent() {
        var cache = cache("a", "b", "c")
        cache.remove("b")
        cache.remove("b")
        #expect(cache.count == 2)
        cache.save(3, for: "d", at: .zero)
        #expect(["a", "b", "c", "d"].map { cache.value(for: $0, at: .zero) } == [0, nil, 2, 3])
        cache.removeAll()
        #expect(cache.count == 0 && cache.capacity == 3)
    }

    /// Compares the cache with a list that is searched linearly.
    @Test(arguments: 0..<20) func behavesLikeASimpleList(seed: UInt64) {
        let random = SeededRandomSource(seed: seed)
        let capacity = Int(random.next() % 8)
        var cache = LRUCache<Int, Int>(capacity: capacity, lifetime: .seconds(50))
        var list: [(key: Int, value: Int, savedAt: Int)] = []
        for now in 0..<1_000 {
            let key = Int(random.next() % 12)
            let place = list.firstIndex { $0.key == key }
            switch random.next() % 8 {
            case 0:
                cache.remove(key)
                if let place { list.remove(at: place) }
            case 1, 2, 3:
                cache.save(now, for: key, at: .seconds(now))
                if let place { list.remove(at: place) } else if list.count == capacity { _ = list.popLast() }
                if capacity > 0 { list.insert((key, now, now), at: 0) }
            default:
                let entry = place.map { list.remove(at: $0) }
                let isFresh = entry.map { now - $0.savedAt < 50 } ?? false
                #expect(cache.value(for: key, at: .seconds(now)) == (isFresh ? entry?.value : nil), "seed \(seed)")
                if let entry, isFresh { list.insert(entry, at: 0) }
            }
            #expect(cache.count == list.count, "seed \(seed)")
        }
    }
}
