#if SQLite
    import TurnoutSQLite

    /// The next process finds the data of the standard services; here, another storage of the same directory.
    @Suite(.ownThread) struct DurableStorageTests {
        private let directory = TemporaryDirectory()
        private let transport = MemoryTransport()
        private let key = UUID().uuidString

        /// A new environment, as after a restart of the program.
        private func environment(online: Bool = true) throws -> HostEnvironment {
            var environment = HostEnvironment()
            environment.storage = try SQLiteStorage(directory: directory.path, log: directory.log)
            environment.transport = online ? transport : nil
            return environment
        }

        private func client(
            _ environment: HostEnvironment, _ datafile: Data = ShopDatafile.data, settings: OptimizelySdkSettings? = nil
        ) throws -> OptimizelyClient {
            let client = HostEnvironment.$override.withValue(environment) {
                OptimizelyClient(
                    sdkKey: key, logger: RecordingMessages(), datafileHandler: ScriptedHandler(), settings: settings)
            }
            try client.start(datafile: datafile, doFetchDatafileBackground: false)
            return client
        }

        @Test func eventsOfAnEarlierProcessAreSentWithoutAnyCall() throws {
            do {
                let offline = try client(try environment(online: false))
                for number in 0..<25 { try offline.track(eventKey: "purchase", userId: "user \(number)") }
                offline.close()
            }
            #expect(transport.requests.isEmpty)
            let next = try client(try environment())
            try waitBlocking("the requests") { transport.requests.count == 3 }
            withExtendedLifetime(next) {}
        }

        @Test func eventsAreInTheFileBeforeTheCallReturnsIfConfigured() async throws {
            let settings = OptimizelySdkSettings(storesEventsBeforeReturning: true)
            let client = try client(try environment(online: false), settings: settings)
            for number in 1...20 {
                try client.track(eventKey: "purchase", userId: "user \(number)")
                let other = try SQLiteStorage(directory: directory.path, log: directory.log)
                #expect(other.events(named: "OPTEventQueue").count == number)
            }
            _ = client.createUserContext(userId: "ada").decide(key: "tested")
            _ = await client.createUserContext(userId: "bob").decideAsync(key: "tested")
            let other = try SQLiteStorage(directory: directory.path, log: directory.log)
            #expect(other.events(named: "OPTEventQueue").count == 22)
        }

        @Test func eventsThatCannotBeInTheFileAreReportedIfConfigured() throws {
            var environment = HostEnvironment()
            environment.storage = SQLiteStorage.open(directory: "/dev/null/nowhere", log: .silent)
            let settings = OptimizelySdkSettings(storesEventsBeforeReturning: true)
            let client = try client(environment, settings: settings)
            #expect(throws: OptimizelyError.self) { try client.track(eventKey: "purchase", userId: "ada") }
            #expect(client.status.events.waiting == 1)
        }

        @Test func usersKeepTheirVariationAfterARestart() throws {
            do {
                let client = try client(try environment())
                #expect(try client.getVariationKey(experimentKey: "sticky", userId: "ada") == "first")
                client.close()
            }
            let client = try client(try environment(), ShopDatafile(sticky: "62").data)
            #expect(try client.getVariationKey(experimentKey: "sticky", userId: "ada") == "first")
            #expect(try client.getVariationKey(experimentKey: "sticky", userId: "new") == "second")
        }

        /// A custom dispatcher receives events without their being written to the file, so only closing writes the last
        /// assignments.
        @Test(arguments: [false, true]) func closingWritesAssignmentsWithAnyDispatcher(isSubclassed: Bool) throws {
            let reader = try SQLiteStorage(directory: directory.path, log: directory.log)
            let client = HostEnvironment.$override.withValue(try environment()) {
                OptimizelyClient(
                    sdkKey: key, logger: RecordingMessages(), eventDispatcher: RecordingDispatcher(),
                    datafileHandler: ScriptedHandler(), userProfileService: isSubclassed ? CountingService() : nil)
            }
            try client.start(datafile: ShopDatafile.data, doFetchDatafileBackground: false)
            for number in 0..<18 { _ = try client.getVariationKey(experimentKey: "sticky", userId: "\(number)") }
            client.close()
            #expect(try reader.profiles.count == 18)
        }

        /// A service that a program derived from the default one.
        private final class CountingService: DefaultUserProfileService {
            override func save(userProfile: UPProfile) { super.save(userProfile: userProfile) }
        }

        @Test func profilesHaveTheDocumentedShape() throws {
            let environment = try environment()
            let service = HostEnvironment.$override.withValue(environment) { DefaultUserProfileService() }
            #expect(service.lookup(userId: "ada") == nil)
            let map = ["1": ["variation_id": "11"], "2": ["variation_id": "21"]]
            service.save(userProfile: ["user_id": "ada", "experiment_bucket_map": map])
            let other = HostEnvironment.$override.withValue(try self.environment()) { DefaultUserProfileService() }
            // The other storage reads it once it is in the file.
            try waitBlocking("the profile") { other.lookup(userId: "ada") != nil }
            let profile = try #require(other.lookup(userId: "ada"))
            #expect(profile["user_id"] as? String == "ada")
            #expect(profile["experiment_bucket_map"] as? [String: [String: String]] == map)
            other.merge(["2": "22", "3": "31"], for: "ada")
            #expect(other.assignments(of: "ada") == ["1": "11", "2": "22", "3": "31"])
            other.save(userProfile: ["user_id": "ada", "experiment_bucket_map": ["4": ["variation_id": "41"]]])
            #expect(other.assignments(of: "ada") == ["4": "41"])
            other.reset(userProfiles: ["bob": ["user_id": "bob", "experiment_bucket_map": map]])
            #expect(other.lookup(userId: "ada") == nil && other.assignments(of: "bob").count == 2)
        }

        @Test func anUnreadProfileIsMergedNotReplaced() throws {
            func profile(_ assignments: [String: String]) -> OPTUserProfileService.UPProfile {
                ["user_id": "ada", "experiment_bucket_map": assignments.mapValues { ["variation_id": $0] }]
            }
            do {
                let service = HostEnvironment.$override.withValue(try environment()) { DefaultUserProfileService() }
                service.save(userProfile: profile(["1": "11"]))
            }
            let service = HostEnvironment.$override.withValue(try environment()) { DefaultUserProfileService() }
            let (file, elsewhere) = (directory.path + "/turnout.sqlite", directory.path + "/elsewhere")
            try FileManager.default.moveItem(atPath: file, toPath: elsewhere)
            #expect(service.lookup(userId: "ada") == nil)
            try FileManager.default.moveItem(atPath: elsewhere, toPath: file)
            service.save(userProfile: profile(["2": "21"]))
            let other = HostEnvironment.$override.withValue(try environment()) { DefaultUserProfileService() }
            try waitBlocking("the assignments") { other.assignments(of: "ada") == ["1": "11", "2": "21"] }
        }

        @Test func theDeviceKeepsItsID() throws {
            let ids = try (0..<2).map { _ in
                try HostEnvironment.$override.withValue(try environment()) {
                    let manager = VuidManager(store: ProgramVuidStore())
                    return try #require(manager.vuid(enabled: true))
                }
            }
            #expect(ids[0] == ids[1] && ids[0].hasPrefix("vuid_"))
        }

        @Test func dispatchersInMemoryWriteNoFiles() throws {
            let environment = try environment(online: false)
            let event = EventForDispatch(body: Data("{}".utf8))
            let dispatchers = HostEnvironment.$override.withValue(environment) {
                [DataStoreType.memory, .file, .userDefaults].map { DefaultEventDispatcher(backingStore: $0) }
            }
            for dispatcher in dispatchers { dispatcher.dispatchEvent(event: event, completionHandler: nil) }
            // The two durable dispatchers share a queue.
            #expect(dispatchers.map(\.waitingCount) == [1, 2, 2])
        }

        @Test func enteringTheBackgroundFlushesQueuedEvents() async throws {
            let transport = MemoryTransport()
            var environment = HostEnvironment()
            environment.transport = transport
            environment.notifications = NotificationCenter()
            let dispatcher = HostEnvironment.$override.withValue(environment) { DefaultEventDispatcher() }
            dispatcher.dispatchEvent(event: EventForDispatch(body: Data("{}".utf8)), completionHandler: nil)
            #expect(transport.requests.isEmpty)
            let name = NSNotification.Name("UIApplicationDidEnterBackgroundNotification")
            environment.notifications.post(name: name, object: nil)
            try await wait("a request") { dispatcher.waitingCount == 0 && transport.requests.count == 1 }
        }
    }
#endif
