/// The driver is loaded at run time.
@Suite struct CassandraLibraryTests {
    @Test func aMissingDriverSaysHowToInstallIt() {
        var options = CassandraOptions(hosts: ["127.0.0.1"], keyspace: "shop")
        options.library = "/missing/libcassandra.so.2"
        let error = #expect(throws: ProfileServerError.self) { try CassandraProfileStore(options) }
        #expect(error?.code == .badOptions)
        for part in ["/missing/libcassandra.so.2", "cassandra-cpp-driver", "TURNOUT_CASSANDRA_LIBRARY"] {
            #expect(error?.message.contains(part) == true)
        }
    }

    @Test func anotherLibraryIsRefused() {
        var options = CassandraOptions(hosts: ["127.0.0.1"], keyspace: "shop")
        #if canImport(Darwin)
            options.library = "/usr/lib/libz.dylib"
        #else
            options.library = "libm.so.6"
        #endif
        let error = #expect(throws: ProfileServerError.self) { try CassandraProfileStore(options) }
        #expect(error?.message.contains("is not version 2") == true)
    }

    @Test(arguments: [
        "Received server error 'from host s3cret' from host 10.0.0.7. Defuncting the connection...",
        "Connection pool was unable to reconnect to host 10.0.0.7 because of the following error: s3cret",
        "Connection pool was unable to connect to host 10.0.0.7 because of the following error: on host 10.0.0.8",
        "An error occurred on host 10.0.0.7 during a heartbeat request: s3cret",
        "Failed to prepare all on host 10.0.0.7 with error: 's3cret'",
    ])
    func whatNodesSayIsOmittedFromMessages(_ message: String) {
        let entry = DriverMessage.entry(for: message, isError: true)
        #expect(entry.level == .error && !entry.text.contains("s3cret"))
        #expect(entry.text.contains("the node 10.0.0.7 "))
    }

    @Test func otherMessagesOfTheDriverStay() {
        let (level, text) = DriverMessage.entry(for: "No row found for host 10.0.0.7", isError: false)
        #expect(level == .warning && text == "Cassandra, driver: No row found for host 10.0.0.7")
        let (cut, short) = DriverMessage.entry(for: "Received server error 'on host s3cret", isError: false)
        #expect(cut == .warning && short.hasPrefix("Cassandra: a node ") && !short.contains("s3cret"))
    }

    @Test(.needsDriver) func filesOfTLSHaveToBeUsable() throws {
        let directory = TemporaryDirectory()
        var options = CassandraOptions(hosts: ["127.0.0.1"], keyspace: "shop")
        options.library = TestDriver.library
        options.tls = CassandraOptions.TLS()
        options.tls?.authorities = directory.path + "/missing.pem"
        let missing = #expect(throws: ProfileServerError.self) { try CassandraProfileStore(options, log: .silent) }
        #expect(missing?.message.contains("/missing.pem cannot be read: No such file") == true)
        options.tls?.authorities = #filePath
        let other = #expect(throws: ProfileServerError.self) { try CassandraProfileStore(options, log: .silent) }
        #expect(other?.code == .badOptions && other?.message.contains("the authorities in") == true)
    }
}
