#if Cassandra
    import TestSupport
    import Testing
    import TurnoutCassandra
    import TurnoutClient

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
#endif
