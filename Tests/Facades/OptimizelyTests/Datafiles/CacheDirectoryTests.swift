@Suite(.ownThread) struct CacheDirectoryTests {
    private let directory = TemporaryDirectory()

    /// The files below a directory, as paths.
    private static func files(in directory: URL) -> [String] {
        let all = FileManager.default.enumerator(atPath: directory.path)?.allObjects as? [String] ?? []
        return all.filter { !URL(filePath: directory.path + "/" + $0).hasDirectoryPath }.sorted()
    }

    @Test func theDirectoryIsASetting() {
        let handler = DefaultDatafileHandler()
        handler.cacheDirectory = directory.url
        handler.saveDatafile(sdkKey: "key", dataFile: Data("{}".utf8))
        #expect(handler.loadSavedDatafile(sdkKey: "key") == Data("{}".utf8))
        #expect(Self.files(in: directory.url) == ["key"])
    }

    #if !canImport(Darwin)
        /// In a separate process, because the environment is process-wide.
        @Test func earlierCopiesMoveToTheFolderOfTheProgram() async {
            await #expect(processExitsWith: .success) { [path = directory.url.path as String] in
                setenv("XDG_DATA_HOME", path, 1)
                let home = URL(filePath: path + "/optimizely")
                let program = ProcessInfo.processInfo.processName
                // The folder of a program that is called like an SDK key.
                try FileManager.default.createDirectory(
                    at: home.appending(path: "other"), withIntermediateDirectories: true)
                try Data("{}".utf8).write(to: home.appending(path: "key"))
                let handler = DefaultDatafileHandler()
                #expect(handler.loadSavedDatafile(sdkKey: "key") == Data("{}".utf8))
                for key in ["other", program] {
                    #expect(handler.loadSavedDatafile(sdkKey: key) == nil)
                    handler.saveDatafile(sdkKey: key, dataFile: Data("[]".utf8))
                    #expect(handler.loadSavedDatafile(sdkKey: key) == Data("[]".utf8))
                }
                let files = Self.files(in: home).filter { $0.contains("/datafiles/") }
                #expect(Set(files) == Set(["key", "other", program].map { "\(program)/datafiles/\($0)" }))
                #expect(!FileManager.default.fileExists(atPath: home.appending(path: "key").path))
            }
        }
    #endif
}
