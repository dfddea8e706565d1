#if SQLite
    import Foundation
    import Optimizely
    import TestSupport
    import Testing
    import TurnoutClient
    import TurnoutSQLite

    /// What the standard services keep is found by the next process: here, by the next storage on the same directory.
    @Suite(.ownThread) struct DurableStorageTests {
        private let directory = TemporaryDirectory()
        private let transport = MemoryTransport()
        private let key = UUID().uuidString

        /// A world as after a new start of the program.
        private func world(online: Bool = true) throws -> World {
            var world = World()
            world.storage = try SQLiteStorage(directory: directory.path, log: directory.log)
            world.transport = online ? transport : nil
            return world
        }

        private func client(
            _ world: World, _ datafile: Data = ShopDatafile.data, settings: OptimizelySdkSettings? = nil
        ) throws -> OptimizelyClient {
            let client = World.$chosen.withValue(world) {
                OptimizelyClient(
                    sdkKey: key, logger: RecordingMessages(), datafileHandler: ScriptedHandler(), settings: settings)
            }
            try client.start(datafile: datafile, doFetchDatafileBackground: false)
            return client
        }

        @Test func eventsOfAnEarlierProcessAreSentWithoutAnyCall() throws {
            do {
                let offline = try client(try world(online: false))
                for number in 0..<25 { try offline.track(eventKey: "purchase", userId: "user \(number)") }
                offline.close()
            }
            #expect(transport.requests.isEmpty)
            let next = try client(try world())
            let arrived = eventuallySync { transport.requests.count == 3 }
            #expect(arrived)
            withExtendedLifetime(next) {}
        }

        @Test func usersKeepTheirVariationAfterARestart() throws {
            do {
                let client = try client(try world())
                #expect(try client.getVariationKey(experimentKey: "sticky", userId: "ada") == "first")
            }
            let client = try client(try world(), ShopDatafile(sticky: "62").data)
            #expect(try client.getVariationKey(experimentKey: "sticky", userId: "ada") == "first")
            #expect(try client.getVariationKey(experimentKey: "sticky", userId: "new") == "second")
        }

        @Test func profilesHaveTheShapeOfThePages() throws {
            let world = try world()
            let service = World.$chosen.withValue(world) { DefaultUserProfileService() }
            #expect(service.lookup(userId: "ada") == nil)
            let map = ["1": ["variation_id": "11"], "2": ["variation_id": "21"]]
            service.save(userProfile: ["user_id": "ada", "experiment_bucket_map": map])
            let other = World.$chosen.withValue(try self.world()) { DefaultUserProfileService() }
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

        @Test func theDeviceKeepsItsID() throws {
            let ids = try (0..<2).map { _ in
                try World.$chosen.withValue(try world()) {
                    let manager = VuidManager(store: ProgramVuidStore())
                    return try #require(manager.vuid(enabled: true))
                }
            }
            #expect(ids[0] == ids[1] && ids[0].hasPrefix("vuid_"))
        }

        @Test func dispatchersInMemoryLeaveNothingBehind() throws {
            let world = try world(online: false)
            let event = EventForDispatch(body: Data("{}".utf8))
            let dispatchers = World.$chosen.withValue(world) {
                [DataStoreType.memory, .file, .userDefaults].map { DefaultEventDispatcher(backingStore: $0) }
            }
            for dispatcher in dispatchers { dispatcher.dispatchEvent(event: event, completionHandler: nil) }
            // The two that keep events share a queue.
            #expect(dispatchers.map(\.waitingCount) == [1, 2, 2])
        }

        @Test func queuesKeepToTheirOwnLimits() throws {
            let world = try world(online: false)
            let dispatcher = World.$chosen.withValue(world) { DefaultEventDispatcher(maxQueueSize: 100) }
            let results = Locked(0)
            for number in 0..<103 {
                dispatcher.dispatchEvent(event: EventForDispatch(body: Data("\(number)".utf8))) { result in
                    if case .failure = result { results.withLock { $0 += 1 } }
                }
            }
            #expect(dispatcher.waitingCount == 100 && results.withLock { $0 } == 3)
        }

        @Test func theBackgroundFlushesWhatWaits() async {
            let transport = MemoryTransport()
            var world = World()
            world.transport = transport
            world.notifications = NotificationCenter()
            let dispatcher = World.$chosen.withValue(world) { DefaultEventDispatcher() }
            dispatcher.dispatchEvent(event: EventForDispatch(body: Data("{}".utf8)), completionHandler: nil)
            #expect(transport.requests.isEmpty)
            let name = NSNotification.Name("UIApplicationDidEnterBackgroundNotification")
            world.notifications.post(name: name, object: nil)
            #expect(await eventually { dispatcher.waitingCount == 0 && transport.requests.count == 1 })
        }

        /// Waits on this suite's own thread.
        private func eventuallySync(_ isTrue: () -> Bool) -> Bool {
            let deadline = Date.now + 30
            while !isTrue() {
                guard Date.now < deadline else { return false }
                Thread.sleep(forTimeInterval: 0.001)
            }
            return true
        }
    }
#endif
