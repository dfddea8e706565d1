@Suite(.ownThread) struct SmallStoreTests {
    // MARK: In memory

    @Test func memoryKeepsAValueUntilItIsRemoved() {
        let directory = TemporaryDirectory()
        let store = DataStoreMemory<[String]>(
            storeName: "m", backing: DataStoreFile<[String]>(storeName: "m", directory: directory.url))
        #expect(store.getItem(forKey: "m") == nil)
        store.saveItem(forKey: "m", value: ["a"])
        store.saveItem(forKey: "m", value: 5)
        #expect(store.getItem(forKey: "other") as? [String] == ["a"])
        store.removeItem(forKey: "m")
        #expect(store.getItem(forKey: "m") == nil)
    }

    @Test func memoryStartsWithTheValueOfTheFile() {
        let directory = TemporaryDirectory()
        let file = DataStoreFile<[String]>(storeName: "m", directory: directory.url)
        file.saveItem(forKey: "m", value: ["a"])
        let store = DataStoreMemory<[String]>(storeName: "m", backing: file)
        #expect(store.getItem(forKey: "m") as? [String] == ["a"])
        store.saveItem(forKey: "m", value: ["b"])
        #expect(file.getItem(forKey: "m") as? [String] == ["a"])
    }

    @Test func memoryStartsWithTheValueInTheSettings() {
        let name = "turnout-test-\(UUID().uuidString)"
        defer { UserDefaults.standard.removeObject(forKey: name) }
        UserDefaults.standard.set(Data(#"[{"a":1}]"#.utf8), forKey: name)
        let store = DataStoreMemory<[String: Int]>(storeName: name, backupStore: .userDefaults)
        #expect(store.getItem(forKey: name) as? [String: Int] == ["a": 1])
    }

    // MARK: In user defaults

    @Test func settingsKeepPlainValues() {
        let store = DataStoreUserDefaults()
        let key = "turnout-test-\(UUID().uuidString)"
        defer { store.removeItem(forKey: key) }
        #expect(store.getItem(forKey: key) == nil)
        store.saveItem(forKey: key, value: "text")
        #expect(store.getItem(forKey: key) as? String == "text")
        store.saveItem(forKey: key, value: [Data([1]), Data([2])])
        #expect(store.getItem(forKey: key) as? [Data] == [Data([1]), Data([2])])
        store.saveItem(forKey: key, value: ["a": ["b": 1]])
        #expect(store.getItem(forKey: key) as? [String: [String: Int]] == ["a": ["b": 1]])
        store.removeItem(forKey: key)
        #expect(store.getItem(forKey: key) == nil)
    }

    @Test func unsupportedValuesAreNotStoredInSettings() {
        struct Foreign {}
        let store = DataStoreUserDefaults()
        let key = "turnout-test-\(UUID().uuidString)"
        defer { store.removeItem(forKey: key) }
        store.saveItem(forKey: key, value: "kept")
        let none: String? = nil
        store.saveItem(forKey: key, value: none as Any)
        store.saveItem(forKey: key, value: Foreign())
        store.saveItem(forKey: key, value: [none as Any])
        store.saveItem(forKey: key, value: Data(count: DataStoreUserDefaults.largestSize + 1))
        store.saveItem(forKey: key, value: [Data(count: DataStoreUserDefaults.largestSize)])
        #expect(store.getItem(forKey: key) as? String == "kept")
        store.saveItem(forKey: key, value: Data(count: DataStoreUserDefaults.largestSize))
        #expect((store.getItem(forKey: key) as? Data)?.count == DataStoreUserDefaults.largestSize)
    }
}
