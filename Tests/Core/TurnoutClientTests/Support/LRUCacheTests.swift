/// The cache holds the most recently used values while they are fresh.
@Suite struct LRUCacheTests {
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
