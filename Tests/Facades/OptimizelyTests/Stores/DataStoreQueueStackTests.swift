@Suite(.ownThread) struct DataStoreQueueStackTests {
    private final class DictionaryStore: OPTDataStore {
        var values: [String: Any] = [:]
        func getItem(forKey: String) -> Any? { values[forKey] }
        func saveItem(forKey: String, value: Any) { values[forKey] = value }
        func removeItem(forKey: String) { values[forKey] = nil }
    }

    private let store = DictionaryStore()

    private func queue(_ items: Int...) -> DataStoreQueueStackImpl<Int> {
        let queue = DataStoreQueueStackImpl<Int>(queueStackName: "q", dataStore: store)
        for item in items { queue.save(item: item) }
        return queue
    }

    @Test func itemsCanBePeekedFromBothEnds() {
        let queue = queue(1, 2, 3)
        #expect(queue.count == 3)
        #expect(queue.getFirstItems() == [1] && queue.getLastItems() == [3])
        #expect(queue.getFirstItems(count: 2) == [1, 2] && queue.getLastItems(count: 2) == [2, 3])
        #expect(queue.getFirstItems(count: 9) == [1, 2, 3] && queue.getLastItems(count: 9) == [1, 2, 3])
        #expect(queue.count == 3)
    }

    @Test func itemsCanBeTakenFromBothEnds() {
        let queue = queue(1, 2, 3, 4, 5)
        #expect(queue.removeFirstItems() == [1] && queue.removeLastItems(count: 2) == [4, 5])
        #expect(queue.removeFirstItems(count: 9) == [2, 3] && queue.count == 0)
    }

    @Test func anEmptyQueueReturnsNothing() {
        let queue = queue()
        #expect(queue.getFirstItems() == nil && queue.getLastItems(count: 3) == nil)
        #expect(queue.removeFirstItems(count: 3) == nil && queue.removeLastItems() == nil)
        #expect(self.queue(1).getFirstItems(count: -1) == nil)
    }

    @Test func itemsAreStoredAsSinglePiecesOfJSON() {
        _ = queue(7, 8)
        #expect(store.values["q"] as? [Data] == [Data("7".utf8), Data("8".utf8)])
        #expect(queue().count == 2)
    }

    @Test func unreadableItemsAreSkipped() {
        store.values["q"] = [Data("1".utf8), Data("x".utf8), Data("3".utf8)]
        let queue = queue()
        #expect(queue.count == 3 && queue.getFirstItems(count: 3) == [1, 3])
        #expect(queue.removeFirstItems(count: 2) == [1] && queue.count == 1)
    }

    @Test func queuesPersistAfterTheirObjects() {
        let directory = TemporaryDirectory()
        let file = { DataStoreFile<[Data]>(storeName: "OPTEventQueue", async: false, directory: directory.url) }
        let first = file()
        let queue = DataStoreQueueStackImpl<String>(queueStackName: "OPTEventQueue", dataStore: first)
        queue.save(item: "a")
        queue.save(item: "b")
        #expect(first.getItem(forKey: "") != nil)
        let later = DataStoreQueueStackImpl<String>(queueStackName: "OPTEventQueue", dataStore: file())
        #expect(later.removeFirstItems(count: 5) == ["a", "b"])
    }

    @Test func noItemIsLostOrTakenTwice() async {
        let queue = queue()
        let taken = await withTaskGroup(of: [Int].self) { group in
            for number in 0..<200 {
                group.addTask {
                    queue.save(item: number)
                    return queue.removeFirstItems() ?? []
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(taken.sorted() == Array(0..<200) && queue.count == 0)
    }
}
