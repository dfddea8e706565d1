@Suite(.ownThread) struct DataStoreFileTests {
    private let directory = TemporaryDirectory()

    private struct Item: Codable, Equatable { var name: String }

    private func store<T: Codable>(_ name: String = "store", of type: T.Type, async: Bool = true) -> DataStoreFile<T> {
        DataStoreFile<T>(storeName: name, async: async, directory: directory.url)
    }

    private func permissions(of url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }

    @Test(arguments: [true, false]) func valuesAreKeptInFiles(async: Bool) throws {
        let bytes = store("bytes", of: Data.self, async: async)
        #expect(bytes.getItem(forKey: "k") == nil)
        bytes.saveItem(forKey: "k", value: Data([1, 2, 3]))
        #expect(bytes.getItem(forKey: "any key") as? Data == Data([1, 2, 3]))
        #expect(try bytes.readData() == Data([1, 2, 3]))
        let list = store("list", of: [Data].self, async: async)
        list.saveItem(forKey: "k", value: [Data([1]), Data([2])])
        #expect(list.getItem(forKey: "k") as? [Data] == [Data([1]), Data([2])])
        #expect(String(decoding: try list.readData(), as: UTF8.self) == #"["AQ==","Ag=="]"#)
        let item = store("item", of: Item.self, async: async)
        item.saveItem(forKey: "k", value: Item(name: "x"))
        #expect(item.getItem(forKey: "k") as? Item == Item(name: "x"))
        #expect(String(decoding: try item.readData(), as: UTF8.self) == #"[{"name":"x"}]"#)
    }

    /// In a separate process, because the registered logger is process-wide.
    @Test func errorsNameTheFileAndTheConsequence() async {
        await #expect(processExitsWith: .success) { [path = directory.url.path as String] in
            let logger = RecordingMessages()
            OPTLoggerFactory.register(logger)
            try Data().write(to: URL(filePath: path))
            let store = DataStoreFile<Data>(storeName: "4Xf9secret", async: false, directory: URL(filePath: path))
            store.saveItem(forKey: "k", value: Data([1]))
            #expect(store.getItem(forKey: "k") == nil)
            let lines = logger.journal.lines
            #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("ERROR: Optimizely: \(path)/\"4Xf9…\": ") })
            #expect(lines.first?.hasSuffix("the next start does not have it") == true, "\(lines)")
            #expect(lines.last?.hasSuffix("it counts as empty") == true, "\(lines)")
        }
    }

    @Test func removedValuesAreAbsent() {
        let store = store(of: String.self)
        store.removeItem(forKey: "k")
        store.saveItem(forKey: "k", value: "a")
        store.removeItem(forKey: "k")
        #expect(store.getItem(forKey: "k") == nil && !FileManager.default.fileExists(atPath: store.url.path))
    }

    @Test func valuesOfOtherTypesAreRefused() {
        let store = store(of: String.self)
        store.saveItem(forKey: "k", value: "a")
        store.saveItem(forKey: "k", value: 5)
        #expect(store.getItem(forKey: "k") as? String == "a")
    }

    @Test func onlyTheUserMayReadFiles() throws {
        let store = store(of: Data.self, async: false)
        store.saveItem(forKey: "k", value: Data("secret".utf8))
        #expect(try permissions(of: directory.url) == 0o700)
        #expect(try permissions(of: store.url) == 0o600)
        store.saveItem(forKey: "k", value: Data("again".utf8))
        #expect(try permissions(of: store.url) == 0o600)
    }

    @Test func damagedFilesCountAsEmptyAndAreKeptAside() throws {
        let store = store(of: [Data].self, async: false)
        store.saveItem(forKey: "k", value: [Data([1])])
        try Data("[\"AQ==\", tru".utf8).write(to: store.url)
        #expect(store.getItem(forKey: "k") == nil)
        let aside = store.url.appendingPathExtension("damaged")
        #expect(try Data(contentsOf: aside) == Data("[\"AQ==\", tru".utf8))
        store.saveItem(forKey: "k", value: [Data([2])])
        #expect(store.getItem(forKey: "k") as? [Data] == [Data([2])])
    }

    @Test func unreadableFilesCountAsEmpty() throws {
        let store = store(of: Data.self, async: false)
        try FileManager.default.createDirectory(at: store.url, withIntermediateDirectories: true)
        #expect(store.getItem(forKey: "k") == nil)
        store.saveItem(forKey: "k", value: Data([1]))
        #expect(store.getItem(forKey: "k") == nil)
    }

    @Test func subclassesMayReadAndWriteElsewhere() {
        let store = MemoryFile<String>(storeName: "x", async: true)
        store.saveItem(forKey: "k", value: "a")
        #expect(store.getItem(forKey: "k") as? String == "a" && store.data == Data(#"["a"]"#.utf8))
        #expect(!FileManager.default.fileExists(atPath: store.url.path))
    }

    // MARK: Names

    @Test func namesStayInTheDirectory() {
        for name in ["../../etc/passwd", "/etc/passwd", "..", ".", ".hidden", "a/b\\c:d", "nul\0", "é", ""] {
            let url = store(name, of: Data.self).url.standardizedFileURL
            #expect(url.deletingLastPathComponent().path == directory.url.standardizedFileURL.path, "\(name)")
            #expect(!url.lastPathComponent.hasPrefix("."))
        }
    }

    @Test func namesDoNotCollide() {
        let long = String(repeating: "x", count: 300)
        let names = ["a/b", "a_b", "a%2Fb", "a:b", "", "%", long, long + "y"]
        let files = names.map { StoreDirectory.fileName(for: $0) }
        #expect(Set(files).count == names.count && files.allSatisfy { $0.utf8.count < 255 })
        #expect(StoreDirectory.fileName(for: "OPTEvent-ODP-Key_1") == "OPTEvent-ODP-Key_1")
    }

    // MARK: Small store

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

/// A store as customers write it.
private class MemoryFile<T: Codable>: DataStoreFile<T> {
    var data: Data?

    override func readData() throws -> Data { data ?? Data() }
    override func writeData(_ data: Data) throws { self.data = data }
}
