/// A client switches datafiles between two decisions, or keeps the current one.
@Suite struct UpdateTests {
    static func datafile(_ revision: String, project: String = "scripted", _ variation: String? = nil) -> [UInt8] {
        var script = Script(.always("flag", variation ?? "variation \(revision)"))
        script.revision = revision
        script.projectID = project
        return script.datafile
    }

    @Test func anotherRevisionIsUsedAndAnnounced() async throws {
        let client = try FlagClient(datafile: Self.datafile("1"), .quiet())
        let announced = Collected<String>()
        client.addListener(to: .datafileChanges) {
            if case .datafileChange(let project) = $0 { announced.add(project.revision) }
        }
        #expect(try client.update(to: Self.datafile("2")))
        #expect(client.user("ada").decide("flag").variationKey == "variation 2")
        #expect(client.project?.revision == "2")
        #expect(try client.update(to: Self.datafile("1")))
        await client.close()
        #expect(announced.all == ["2", "1"])
    }

    @Test func theSameContentChangesNothing() async throws {
        let client = try FlagClient(datafile: Self.datafile("1"), .quiet())
        let announced = Collected<Bool>()
        client.addListener(to: .datafileChanges) { _ in announced.add(true) }
        #expect(try !client.update(to: Self.datafile("1")))
        await client.close()
        #expect(announced.count == 0)
    }

    /// A file that was edited by hand, for example.
    @Test func otherContentWithTheSameRevisionIsUsedAndAnnounced() async throws {
        let clock = ManualClock()
        let client = try FlagClient(datafile: Self.datafile("1"), .quiet { $0.clock = clock })
        let announced = Collected<Bool>()
        client.addListener(to: .datafileChanges) { _ in announced.add(true) }
        clock.advance(by: .seconds(60))
        #expect(try client.update(to: Self.datafile("1", "other")))
        #expect(client.user("unknown").decide("flag").variationKey == "other")
        #expect(client.status.datafile.lastChange == .zero)
        await client.close()
        #expect(announced.count == 1)
    }

    @Test func otherProjectsAreRefused() throws {
        let configuration = ClientConfiguration.quiet { $0.projectID = "mine" }
        let client = try FlagClient(datafile: Self.datafile("1", project: "mine"), configuration)
        do {
            try client.update(to: Self.datafile("2", project: "yours"))
            Issue.record("another project was taken")
        } catch {
            guard case .otherProject("yours") = error else {
                Issue.record("\(error)")
                return
            }
            #expect("\(error)" == "the datafile belongs to project yours, not to the configured project")
        }
        #expect(client.project?.revision == "1")
        #expect(throws: StartError.self) { try FlagClient(datafile: Self.datafile("1"), configuration) }
    }

    @Test func decisionsRemainValidAfterAnUpdate() throws {
        let client = try FlagClient(datafile: Self.datafile("1"), .quiet())
        let decision = client.user("ada").decide("flag")
        try client.update(to: Self.datafile("2"))
        #expect(decision.variationKey == "variation 1" && decision.flag?.key == "flag")
    }

    @Test func changesAreLogged() throws {
        let log = MemoryLog(level: .info)
        let client = FlagClient(.quiet { $0.log = log })
        try client.update(to: Self.datafile("7"))
        try client.update(to: Self.datafile("7"))
        #expect(log.entries.map(\.message) == ["now using revision 7 (passed)", "revision 7 is in use already"])
    }
}
