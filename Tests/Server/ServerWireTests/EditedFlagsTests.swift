#if os(Linux) && Server && YAML
    import Optimizely
    import OptimizelySDKiOS
    import TestSupport

    /// Every edit of a project that is served reaches every client. Serialized: each test has many clients and servers.
    @Suite("Edited flags", .serialized, .blocking)
    struct EditedFlagsTests {
        /// How the project is edited.
        enum Way: String, CaseIterable, Codable, Sendable {
            case withoutLock, withLock, compiledInBetween, restartInBetween, twoServers, otherAddress
        }

        private let folder = TemporaryDirectory(isCreated: true)
        /// One for each server that has clients: `OptimizelyClient`s with the same key share services, also with those
        /// of tests that run at the same time.
        private let sdkKeys = (0..<3).map { _ in UUID().uuidString }

        private func edit(_ number: Int, _ others: String = "") throws {
            try ServedProject.edit(folder.path, number, sdkKeys: sdkKeys, others: others)
        }

        @Test(arguments: Way.allCases) func eachEditReachesEachClient(_ way: Way) async throws {
            let others = way == .otherAddress ? "segments: {public_key: shop}" : ""
            try edit(0, others)
            if way != .withoutLock { await ServedProject.compile(folder.path) }
            // The address is a part of the datafile, so that it is never the committed one.
            let options = ["--set", "public_address=http://127.0.0.1:9"]
            let first = try await ServedProject(folder.path, options: way == .otherAddress ? options : [])
            let second = way == .twoServers ? try await ServedProject(folder.path) : nil
            let servers = [first, second].compactMap { $0 }
            let relay = try LiveServer(upstream: first.address, pollingInterval: .seconds(3_600))
            let addresses = servers.map(\.address) + [relay.address]
            var clients: [EditClients] = []
            for (address, key) in zip(addresses, sdkKeys) { clients.append(try await EditClients(address, key)) }
            for number in 1...5 {
                if way == .compiledInBetween, number == 3 { await ServedProject.compile(folder.path) }
                if way == .restartInBetween, number == 3 {
                    try await first.stop()
                    try edit(number)
                    try await first.start()
                }
                try edit(number, others)
                for clients in clients { try await clients.wait(for: number) }
            }
            for clients in clients { await clients.close() }
            await relay.stop()
            for server in servers { try await server.stop() }
        }

        @Test func theRevisionDependsOnTheContent() async throws {
            try edit(0)
            let server = try await ServedProject(folder.path)
            let other = try await ServedProject(folder.path)
            let first = try await datafile(server.address)
            #expect(first.revision.hasPrefix("0-") && first.revision.count == 14)
            try edit(1)
            try await wait("the edit") { try await datafile(server.address).revision != first.revision }
            let second = try await datafile(server.address)
            try await wait("the edit on the other") { try await datafile(other.address).bytes == second.bytes }
            try await server.stop()
            try await server.start()
            #expect(try await datafile(server.address).bytes == second.bytes)
            try edit(0)
            try await wait("the first content") { try await datafile(server.address).bytes == first.bytes }
            for server in [server, other] { try await server.stop() }
        }

        @Test func aLostLockAndAPipeChangeNothing() async throws {
            try edit(0)
            await ServedProject.compile(folder.path)
            let server = try await ServedProject(folder.path)
            let first = try await datafile(server.address)
            let lock = try Data(contentsOf: URL(filePath: folder.path + "/turnout.lock"))
            try FileManager.default.removeItem(atPath: folder.path + "/turnout.lock")
            try await wait("the problem") {
                try await Self.status(server.address).contains("turnout.lock beside it is gone")
            }
            #expect(try await datafile(server.address).bytes == first.bytes)
            try lock.write(to: URL(filePath: folder.path + "/turnout.lock"))
            try FileManager.default.removeItem(atPath: folder.path + "/flags.yaml")
            try #require(mkfifo(folder.path + "/flags.yaml", 0o600) == 0)
            try await wait("the pipe") { try await Self.status(server.address).contains("is no regular file") }
            try FileManager.default.removeItem(atPath: folder.path + "/flags.yaml")
            try edit(1)
            try await wait("the edit") { try await datafile(server.address).bytes != first.bytes }
            try await server.stop()
        }

        private static func status(_ address: String) async throws -> String {
            let response = try await LiveTransport.make().send(HTTPRequest(.get, address + "/status"))
            return String(decoding: response.body, as: UTF8.self)
        }

        @Test func aCompiledFileIsServedAsItIs() async throws {
            try edit(0, "segments: {host: 'https://odp.example.com', public_key: shop}")
            await ServedProject.compile(folder.path)
            let server = try await ServedProject(folder.path)
            let compiled = try Data(contentsOf: URL(filePath: folder.path + "/datafiles/production.json"))
            #expect(try await datafile(server.address).bytes == Array(compiled))
            try await server.stop()
        }

        @Test func anotherContentWithTheSameRevisionReachesOurClients() async throws {
            let server = try LiveServer()
            try server.publish(datafile(0), for: sdkKeys[0])
            let clients = try await EditClients(server.address, sdkKeys[0])
            for number in 1...3 {
                try server.publish(datafile(number), for: sdkKeys[0])
                try await clients.wait(for: number)
            }
            await clients.close()
            await server.stop()
        }

        private func datafile(_ number: Int) -> [UInt8] {
            let flag = """
                {"id":"1","key":"a","rolloutId":"","experimentIds":[],
                 "variables":[{"id":"2","key":"n","type":"integer","defaultValue":"\(number)"}]}
                """
            let text = """
                {"version":"4","projectId":"7","accountId":"1","revision":"1","sdkKey":"\(sdkKeys[0])",
                 "anonymizeIP":true,"experiments":[],"events":[],"rollouts":[],"attributes":[],"groups":[],
                 "audiences":[],"featureFlags":[\(flag)]}
                """
            return Array(text.utf8)
        }

        private func datafile(_ address: String) async throws -> (revision: String, bytes: [UInt8]) {
            let path = "/datafiles/\(sdkKeys[0]).json"
            let bytes = try await LiveTransport.make().send(HTTPRequest(.get, address + path)).body
            return (try Project(datafile: bytes).revision, bytes)
        }
    }

    /// Clients of each kind of one server.
    private struct EditClients {
        private let address: String
        private let sdkKey: String
        private let polling: FlagClient
        private let streaming: FlagClient
        private let optimizely: UncheckedSendable<OptimizelyClient>

        init(_ address: String, _ sdkKey: String) async throws {
            (self.address, self.sdkKey) = (address, sdkKey)
            var options = HTTPDatafileOptions()
            options.address = address + "/datafiles/{sdkKey}.json"
            options.deadline = .seconds(60)
            options.log = .silent
            var configuration = ClientConfiguration()
            configuration.log = .silent
            configuration.minimumPollingInterval = .milliseconds(10)
            configuration.pollingInterval = .milliseconds(20)
            configuration.datafiles = .http(
                sdkKey: sdkKey, transport: LiveTransport.make(), options: options)
            polling = FlagClient(configuration)
            configuration.pollingInterval = .seconds(3_600)
            configuration.datafiles = .streaming(
                sdkKey: sdkKey, transport: LiveTransport.make(), options: options)
            streaming = FlagClient(configuration)
            optimizely = HostEnvironment.$override.withValue(Self.environment) {
                let handler = DefaultDatafileHandler()
                handler.endPointStringFormat = address + "/datafiles/%@.json"
                handler.minimumPollingInterval = 1
                return UncheckedSendable(
                    OptimizelyClient(
                        sdkKey: sdkKey, logger: SilentLogger(), datafileHandler: handler,
                        periodicDownloadInterval: 1, defaultLogLevel: .error))
            }
            for client in [polling, streaming] { try await client.start() }
            try await optimizely.value.start()
        }

        private static var environment: HostEnvironment {
            var environment = HostEnvironment()
            environment.transport = LiveTransport.make()
            return environment
        }

        /// Waits until each client has the edit with a number.
        func wait(for number: Int) async throws {
            for (name, client) in [("polling", polling), ("streaming", streaming)] {
                try await TestSupport.wait("edit \(number), \(name), from \(address)") {
                    let decision = client.user("ada").decide("a", options: [.disableDecisionEvent])
                    return decision.variables["n"] == .integer(number)
                }
            }
            try await TestSupport.wait("edit \(number), Optimizely, from \(address)") {
                let user = optimizely.value.createUserContext(userId: "ada")
                return user.decide(key: "a", options: [.disableDecisionEvent]).variables.toMap()["n"] as? Int == number
            }
            try await TestSupport.wait("edit \(number), OPTLY, from \(address)") { await legacyValue() == number }
            try await TestSupport.wait("edit \(number), OFREP, from \(address)") {
                let body = Array(#"{"context":{"targetingKey":"ada"}}"#.utf8)
                let headers = ["Content-Type": "application/json", "X-API-Key": sdkKey]
                let request = HTTPRequest(.post, address + "/ofrep/v1/evaluate/flags/a.n", headers: headers, body: body)
                let answer = try? JSONValue(parsing: try await LiveTransport.make().send(request).body)
                return answer?["value"] == .integer(Int64(number))
            }
        }

        /// The value in a new client of the Objective-C interface, whose datafile is the cached one unless the server
        /// has another.
        private func legacyValue() async -> Int? {
            let manager = HostEnvironment.$override.withValue(Self.environment) {
                let datafiles = OPTLYDatafileManagerDefault {
                    $0?.datafileConfig = OPTLYDatafileConfig(
                        projectId: nil, withSDKKey: sdkKey, withHost: address)
                    $0?.logger = OPTLYLoggerDefault(logLevel: .off)
                }
                return OPTLYManager {
                    $0?.sdkKey = sdkKey
                    $0?.datafileManager = datafiles
                    $0?.logger = OPTLYLoggerDefault(logLevel: .off)
                }
            }
            let result = OneShot<Int?>()
            manager?.initialize { _, client in
                result.end(client?.getFeatureVariableInteger("a", variableKey: "n", userId: "ada")?.intValue)
            }
            return manager == nil ? nil : await result.value() ?? nil
        }

        func close() async {
            for client in [polling, streaming] { await client.close() }
            try? await blocking { optimizely.value.close() }
        }
    }
#endif
