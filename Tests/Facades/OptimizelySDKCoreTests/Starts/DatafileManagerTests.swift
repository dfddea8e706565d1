import Optimizely

/// Datafile managers with replaced configurations, custom ones, and direct calls.
@Suite struct DatafileManagerTests {
    private let setup = TestSetup()
    private let directory = TemporaryDirectory()
    private let date = "Wed, 01 Jan 2020 00:00:00 GMT"

    private func keep(_ revision: String, for key: String) throws {
        let datafile = Array(OldDatafile(revision: revision).data)
        try setup.environment.datafiles.keep(DatafileCopy(datafile: datafile, lastModified: date), for: key)
    }

    @Test func theDatafileOfAConfiguredKeyIsUsed() async throws {
        try keep("1", for: "key")
        try keep("2", for: "other")
        setup.servers.publish(OldDatafile(revision: "2"), date: date)
        let manager = try setup.manager()
        manager.datafileConfig = OPTLYDatafileConfig(projectId: nil, withSDKKey: "other")
        let (error, client) = await manager.initialized()
        #expect(error == nil && client?.revision == "2", "the server responds that the other key's has not changed")
        #expect(manager.initialize()?.revision == "2")
    }

    @Test func anotherHostHasItsOwnDatafile() async throws {
        try keep("1", for: "key")
        setup.servers.publish(OldDatafile(revision: "2"), date: date)
        let manager = try setup.manager()
        let host = "https://datafiles.example.com"
        let config = try required(OPTLYDatafileConfig(projectId: nil, withSDKKey: "key", withHost: host))
        #expect(config == manager.datafileConfig)
        manager.datafileConfig = config
        let (error, client) = await manager.initialized()
        #expect(error == nil && client?.revision == "2")
        let request = setup.servers.downloads.first { $0.url == "\(host)/datafiles/key.json" }
        #expect(request != nil && request?.headers["If-Modified-Since"] == nil)
        #expect(try setup.manager().initialize()?.revision == "1", "the copy of the vendor's host is unchanged")
    }

    @Test func theHostOfACustomDatafileManagerIsUsed() async throws {
        setup.servers.publish(OldDatafile(revision: "2"), date: date)
        let host = "https://datafiles.example.com"
        let datafiles = try required(
            setup.make {
                OPTLYDatafileManagerDefault {
                    $0?.datafileConfig = OPTLYDatafileConfig(projectId: nil, withSDKKey: "key", withHost: host)
                    $0?.logger = setup.logger
                }
            })
        let manager = try setup.manager { $0.datafileManager = datafiles }
        let (error, client) = await manager.initialized()
        #expect(error == nil && client?.revision == "2" && manager.initialize()?.revision == "2")
        #expect(Set(setup.servers.downloads.map(\.url)) == ["\(host)/datafiles/key.json"])
    }

    @Test func anUnusableDatafileOfACallersManagerIsAnError() async throws {
        let manager = try setup.manager {
            $0.datafileManager = Fixed(Data("<html>".utf8))
            $0.datafile = OldDatafile(revision: "9").data
        }
        let (error, client) = await manager.initialized()
        #expect(error?.code == Int(OPTLYErrorTypes.datafileInvalid.rawValue) && client?.revision == "9")
    }

    @Test func downloadsCanBeAwaited() async throws {
        setup.servers.publish(OldDatafile(revision: "2"), date: date)
        let manager = try required(try setup.manager().datafileManager)
        let config = try required(OPTLYDatafileConfig(projectId: nil, withSDKKey: "key"))
        for _ in 0..<2 {
            let (data, response) = try await manager.downloadDatafile(config)
            #expect(data == OldDatafile(revision: "2").data && response.url == config.urlForKey())
        }
        await #expect(throws: NSError.self) { try await OPTLYDatafileManagerNoOp().downloadDatafile(config) }
    }

    #if !canImport(ObjectiveC)
        @Test func aMissingSavedDatafileIsAnError() throws {
            setup.servers.setOffline(true)
            let manager = try required(try setup.manager().datafileManager)
            var error: NSError?
            #expect(manager.getSavedDatafile(&error) == nil && error?.code == 7)
            manager.saveDatafile(OldDatafile().data)
            error = nil
            #expect(manager.getSavedDatafile(&error) != nil && error == nil)
        }
    #endif

    @Test func theDirectoryIsASetting() throws {
        setup.servers.setOffline(true)
        let datafiles = try required(
            setup.make {
                OPTLYDatafileManagerDefault {
                    $0?.datafileConfig = OPTLYDatafileConfig(projectId: nil, withSDKKey: "key")
                    $0?.cacheDirectory = directory.url
                }
            })
        datafiles.saveDatafile(OldDatafile(revision: "2").data)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["key"])
        #expect(try setup.manager { $0.datafileManager = datafiles }.initialize()?.revision == "2")
    }

    #if !canImport(Darwin)
        /// In a separate process, because the environment is process-wide.
        @Test func earlierCopiesMoveToTheFolderOfTheProgram() async {
            await #expect(processExitsWith: .success) { [path = directory.path as String] in
                setenv("XDG_DATA_HOME", path, 1)
                let earlier = URL(filePath: path + "/optimizely/datafile")
                try FileManager.default.createDirectory(at: earlier, withIntermediateDirectories: true)
                try OldDatafile(revision: "3").data.write(to: earlier.appending(path: "key"))
                var setup = TestSetup()
                setup.environment.datafiles = HostEnvironment.current.datafiles
                #expect(try setup.manager().initialize()?.revision == "3")
                #expect(try FileManager.default.contentsOfDirectory(atPath: earlier.path).isEmpty)
                let file = StoreDirectory.ofThisProgram.appending(path: "datafile/key").path
                #expect(file.hasPrefix(path) && FileManager.default.fileExists(atPath: file))
            }
        }
    #endif

    /// A custom manager with a fixed datafile.
    private final class Fixed: OPTLYDatafileManagerNoOp {
        private let datafile: Data
        init(_ datafile: Data) { self.datafile = datafile }

        override func downloadDatafile(
            _ datafileConfig: OPTLYDatafileConfig, completionHandler: OPTLYDatafileResponse?
        ) {
            let response = HTTPURLResponse(
                url: datafileConfig.urlForKey(), statusCode: 200, httpVersion: nil, headerFields: nil)
            completionHandler?(datafile, response, nil)
        }
    }
}
