/// Segment events and their device id survive the process.
@Suite struct SQLiteSegmentEventTests {
    private let directories = Directories()
    private var directory: String { directories.first }
    private let transport = MemoryTransport { _ in HTTPResponse(status: 202) }

    private static let datafile = Array(
        #"""
        {"version": "4", "accountId": "A", "projectId": "P", "revision": "1", "anonymizeIP": true, "groups": [],
         "audiences": [], "events": [], "attributes": [], "featureFlags": [], "experiments": [], "rollouts": [],
         "integrations": [{"key": "odp", "host": "https://odp.test", "publicKey": "key"}]}
        """#.utf8)

    /// A client as in a new process.
    private func client(_ directory: String, transport: (any Transport)? = nil) throws -> FlagClient {
        let storage = try SQLiteStorage(directory: directory)
        var configuration = ClientConfiguration()
        configuration.log = .silent
        configuration.keep(in: storage)
        configuration.deviceID = try storage.settings.deviceID()
        configuration.transport = transport
        return try FlagClient(datafile: Self.datafile, configuration)
    }

    @Test func eventsOfAnEarlierProcessAreDelivered() async throws {
        let first = try client(directory)
        try first.user("ada").sendSegmentEvent("a")
        first.identify("ada")
        await first.close(within: .seconds(10))
        let next = try client(directory, transport: transport)
        await next.flush()
        let body = transport.requests.map { String(decoding: $0.body, as: UTF8.self) }.joined()
        let actions = body.split(separator: #""action":""#).dropFirst().map { $0.prefix { $0 != "\"" } }
        #expect(actions == ["client_initialized", "a", "identified", "client_initialized"])
        #expect(next.deviceID == first.deviceID)
        #expect(transport.requests.allSatisfy { $0.headers["x-api-key"] == "key" })
    }

    @Test func theDeviceKeepsItsID() throws {
        let settings = try SQLiteStorage(directory: directory).settings
        let id = try settings.deviceID()
        #expect(try settings.deviceID() == id)
        #expect(try SQLiteStorage(directory: directory).settings.deviceID() == id)
        #expect(try SQLiteStorage(directory: directories.next()).settings.deviceID() != id)
    }

    @Test func onlyAValidIDOfTheFacadeIsMigrated() throws {
        let settings = try SQLiteStorage(directory: directories.next()).settings
        try settings.set("optimizely-vuid", to: "vuid_0123456789abcdef0123456789a")
        #expect(try settings.deviceID().rawValue == "vuid_0123456789abcdef0123456789a")
        try settings.set("optimizely-vuid", to: "nonsense")
        let id = try settings.deviceID()
        #expect(id.rawValue != "nonsense")
        #expect(try settings.deviceID() == id)
    }

    @Test func storagesOpenedAtOnceGetTheSameID() async throws {
        let ids = try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try SQLiteStorage(directory: directory).settings.deviceID() } }
            return try await group.reduce(into: Set<DeviceID>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
    }
}
