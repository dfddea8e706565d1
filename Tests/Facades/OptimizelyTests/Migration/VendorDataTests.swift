#if SQLite
    import TurnoutSQLite

    /// Migration of the data that the vendor's Swift client stored on a device.
    @Suite(.ownThread) struct VendorDataTests {
        private let directory = TemporaryDirectory()
        private let vendorFiles = TemporaryDirectory()
        private let transport = MemoryTransport()
        private let settings: UserDefaults
        private let suite: TemporarySettings

        init() throws {
            suite = TemporarySettings()
            settings = try #require(UserDefaults(suiteName: suite.name))
        }

        /// A new environment, as after a restart of the program.
        private func environment(isDurable: Bool = true) throws -> HostEnvironment {
            var environment = HostEnvironment()
            if isDurable { environment.storage = try SQLiteStorage(directory: directory.path, log: directory.log) }
            environment.transport = transport
            environment.vendor = VendorData(settings: settings, directory: vendorFiles.url)
            return environment
        }

        private func service(isDurable: Bool = true) throws -> DefaultUserProfileService {
            HostEnvironment.$override.withValue(try environment(isDurable: isDurable)) { DefaultUserProfileService() }
        }

        private static func profile(_ user: String, _ map: [String: String]) -> [String: Any] {
            ["user_id": user, "experiment_bucket_map": map.mapValues { ["variation_id": $0] }]
        }

        private var isLeft: Bool { settings.object(forKey: "user-profile-service") != nil }

        // MARK: Assignments

        @Test func usersKeepTheVariationOfTheVendorsClient() throws {
            settings.set(["ada": Self.profile("ada", ["6": "62"])], forKey: "user-profile-service")
            let client = HostEnvironment.$override.withValue(try environment()) {
                OptimizelyClient(
                    sdkKey: UUID().uuidString, logger: RecordingMessages(), datafileHandler: ScriptedHandler())
            }
            try client.start(datafile: ShopDatafile.data, doFetchDatafileBackground: false)
            #expect(try client.getVariationKey(experimentKey: "sticky", userId: "ada") == "second")
            #expect(try client.getVariationKey(experimentKey: "sticky", userId: "bob") == "first")
            client.close()
        }

        @Test func assignmentsAreMigratedOnce() throws {
            let odd: [String: Any] = [
                "experiment_bucket_map": ["3": ["variation_id": 5], "4": "x", "5": ["variation_id": "51"]]
            ]
            settings.set(
                ["ada": Self.profile("ada", ["1": "11", "2": "21"]), "odd": odd, "none": "x"],
                forKey: "user-profile-service")
            let first = try service()
            #expect(first.assignments(of: "ada") == ["1": "11", "2": "21"])
            #expect(first.assignments(of: "odd") == ["5": "51"] && first.lookup(userId: "none") == nil)
            #expect(!isLeft)
            first.reset()
            #expect(try service().lookup(userId: "ada") == nil)
        }

        @Test func existingAssignmentsTakePrecedence() throws {
            try service().merge(["1": "12"], for: "ada")
            settings.set(["ada": Self.profile("ada", ["1": "11", "2": "21"])], forKey: "user-profile-service")
            #expect(try service().assignments(of: "ada") == ["1": "12", "2": "21"])
        }

        @Test func withoutAFileAssignmentsStayInTheSettings() throws {
            settings.set(["ada": Self.profile("ada", ["1": "11"])], forKey: "user-profile-service")
            for _ in 0..<2 { #expect(try service(isDurable: false).assignments(of: "ada") == ["1": "11"]) }
            #expect(isLeft)
            try service(isDurable: false).reset()
            #expect(!isLeft)
        }

        // MARK: Events

        private func leave(_ items: [Data], in name: String = "OPTEventQueue") throws {
            try FileManager.default.createDirectory(at: vendorFiles.url, withIntermediateDirectories: true)
            try JSONEncoder().encode(items).write(to: vendorFiles.url.appending(path: name))
        }

        private func item(_ payload: String) throws -> Data {
            let body = Data(payload.utf8).base64EncodedString()
            return Data(#"{"url":"https:\/\/logx.optimizely.com\/v1\/events","body":"\#(body)"}"#.utf8)
        }

        private func items(in name: String = "OPTEventQueue") -> [Data]? {
            guard let data = try? Data(contentsOf: vendorFiles.url.appending(path: name)) else { return nil }
            return try? JSONDecoder().decode([Data].self, from: data)
        }

        @Test func undeliveredEventsAreDelivered() throws {
            let payloads = (0..<3).map { #"{"account_id":"12001","visitors":[{"visitor_id":"\#($0)"}]}"# }
            try leave(try payloads.map { try item($0) })
            let dispatcher = HostEnvironment.$override.withValue(try environment()) { DefaultEventDispatcher() }
            dispatcher.close()
            #expect(transport.requests.allSatisfy { $0.url == "https://logx.optimizely.com/v1/events" })
            let sent = transport.requests.map { String(decoding: $0.body, as: UTF8.self) }.joined()
            for number in 0..<3 { #expect(sent.contains(#""visitor_id":"\#(number)""#)) }
            #expect(items() == nil && dispatcher.waitingCount == 0)
        }

        @Test func migratedEventsPersistAcrossProcesses() throws {
            try leave([try item("{}")])
            var offline = try environment()
            offline.transport = nil
            _ = HostEnvironment.$override.withValue(offline) { DefaultEventDispatcher() }
            #expect(items() == nil)
            let next = HostEnvironment.$override.withValue(try environment()) { DefaultEventDispatcher() }
            next.close()
            #expect(transport.requests.count == 1)
        }

        @Test func dataThatCannotBeMigratedIsKept() throws {
            try leave([Data("nonsense".utf8), try item("{}")])
            var offline = try environment()
            offline.transport = nil
            let dispatcher = HostEnvironment.$override.withValue(offline) { DefaultEventDispatcher() }
            #expect(dispatcher.waitingCount == 1 && items() == [Data("nonsense".utf8)])
            try leave((0..<150).map { try item("{\($0)}") }, in: "small")
            let small = HostEnvironment.$override.withValue(offline) {
                DefaultEventDispatcher(dataStoreName: "small", maxQueueSize: 100)
            }
            #expect(small.waitingCount == 100 && items(in: "small")?.count == 50)
        }

        @Test func otherFilesAreNotMigrated() throws {
            try leave([])
            let file = vendorFiles.url.appending(path: "OPTEventQueue")
            try Data("[1, 2".utf8).write(to: file)
            _ = HostEnvironment.$override.withValue(try environment()) { DefaultEventDispatcher() }
            #expect(try Data(contentsOf: file) == Data("[1, 2".utf8))
            try leave([try item("{}")])
            _ = HostEnvironment.$override.withValue(try environment()) { DefaultEventDispatcher(backingStore: .memory) }
            _ = HostEnvironment.$override.withValue(try environment(isDurable: false)) { DefaultEventDispatcher() }
            #expect(items()?.count == 1)
        }
    }

    /// User defaults that are removed with the test.
    private final class TemporarySettings {
        let name = "turnout-\(UUID().uuidString)"

        deinit {
            UserDefaults.standard.removePersistentDomain(forName: name)
            #if os(Linux)
                let home = FileManager.default.homeDirectoryForCurrentUser
                try? FileManager.default.removeItem(at: home.appending(path: ".config/\(name).plist"))
            #endif
        }
    }
#endif
