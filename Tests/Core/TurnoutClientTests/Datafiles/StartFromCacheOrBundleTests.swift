/// A client that must not wait starts with the cached or bundled datafile, then downloads a newer one.
@Suite struct StartFromCacheOrBundleTests {
    private let server = DatafileServer()
    private let cache = MemoryDatafileCache()

    private func client(
        kept: [UInt8]? = nil, bundled: [UInt8]? = nil, _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) -> FlagClient {
        if let kept {
            cache.keep(DatafileCopy(datafile: kept, lastModified: "date 1", entityTag: "\"v1\""), for: "key")
        }
        var options = HTTPDatafileOptions()
        options.log = .silent
        return FlagClient(
            .quiet {
                $0.datafiles = .http(sdkKey: "key", transport: server.transport, cache: cache, options: options)
                $0.bundledDatafile = bundled
                change(&$0)
            })
    }

    private func revision(kept: [UInt8]?, bundled: [UInt8]?, prefersHigher: Bool = false) throws -> String? {
        let client = client(kept: kept, bundled: bundled) { $0.prefersHigherRevision = prefersHigher }
        try client.startFromCacheOrBundle(refreshing: false)
        #expect(server.requests.isEmpty)
        return client.project?.revision
    }

    @Test func theCachedDatafileTakesPrecedence() throws {
        #expect(try revision(kept: UpdateTests.datafile("2"), bundled: UpdateTests.datafile("3")) == "2")
        #expect(try revision(kept: UpdateTests.datafile("2"), bundled: nil) == "2")
        #expect(try revision(kept: UpdateTests.datafile("2"), bundled: Array("{}".utf8)) == "2")
    }

    @Test func aBundledDatafileOfAHigherRevisionMayBePreferred() throws {
        // A server derives `9-5f0c1e2a9b3d` from an edit after revision 9.
        for (kept, bundled, expected) in [
            ("9", "10", "10"), ("10", "9", "10"), ("7", "7", "7"), ("a", "b", "a"),
            ("9-5f0c1e2a9b3d", "10", "10"), ("9-5f0c1e2a9b3d", "9", "9-5f0c1e2a9b3d"),
        ] {
            let found = try revision(
                kept: UpdateTests.datafile(kept), bundled: UpdateTests.datafile(bundled), prefersHigher: true)
            #expect(found == expected)
        }
    }

    @Test func anUnusableCacheFallsBackToTheBundledDatafile() throws {
        let bundled = UpdateTests.datafile("3")
        #expect(try revision(kept: nil, bundled: bundled) == "3")
        #expect(try revision(kept: Array("{}".utf8), bundled: bundled) == "3")
        #expect(try revision(kept: UpdateTests.datafile("9", project: "other"), bundled: bundled) == "3")
    }

    @Test func withoutAnyDatafileTheStartFails() throws {
        #expect(throws: StartError.self) { try client().startFromCacheOrBundle(refreshing: false) }
        #expect(throws: StartError.self) {
            try client(bundled: Array("{}".utf8)).startFromCacheOrBundle(refreshing: false)
        }
        let other = client(bundled: UpdateTests.datafile("1")) { $0.projectID = "mine" }
        let error = #expect(throws: StartError.self) { try other.startFromCacheOrBundle(refreshing: false) }
        #expect(error.map { "\($0)" } == "the datafile belongs to project scripted, not to the configured project")
        #expect(other.project == nil)
    }

    @Test func aNewerDatafileIsFetchedAndAnnounced() async throws {
        server.publish(UpdateTests.datafile("1"))
        server.publish(UpdateTests.datafile("2"))
        let client = client(kept: UpdateTests.datafile("1"))
        let announced = Collected<String>()
        client.addListener(to: .datafileChanges) {
            if case .datafileChange(let project) = $0 { announced.add(project.revision) }
        }
        try client.startFromCacheOrBundle()
        #expect(client.project?.revision == "1")
        try await wait("the newer one is used") { client.project?.revision == "2" }
        await client.close()
        #expect(announced.all == ["2"])
        #expect(server.requests.map { $0.headers["If-None-Match"] } == ["\"v1\""])
    }

    @Test func clientsWithoutADatafileRecoverByPolling() async throws {
        server.publish(UpdateTests.datafile("1"))
        let client = client()
        #expect(throws: StartError.self) { try client.startFromCacheOrBundle() }
        try await wait("the datafile is found") { client.project?.revision == "1" }
        await client.close()
    }

    /// The server's newest datafile wins, even if the bundled one was preferred at the start.
    @Test func theServersDatafileReplacesAPreferredBundledOne() async throws {
        server.publish(UpdateTests.datafile("5"))
        let client = client(kept: UpdateTests.datafile("5"), bundled: UpdateTests.datafile("7")) {
            $0.prefersHigherRevision = true
        }
        try client.startFromCacheOrBundle(refreshing: false)
        #expect(client.project?.revision == "7")
        #expect(try await client.refresh())
        #expect(client.project?.revision == "5")
        #expect(try await !client.refresh())
    }

    @Test func startingAgainChangesNothing() async throws {
        let client = client(bundled: UpdateTests.datafile("1")) { $0.datafiles = MemoryDatafileSource() }
        try await client.start()
        client.forceVariation("variation 1", inExperiment: "flag", forUser: "ada")
        try await client.start()
        #expect(client.forcedVariation(inExperiment: "flag", forUser: "ada") == "variation 1")
    }
}
