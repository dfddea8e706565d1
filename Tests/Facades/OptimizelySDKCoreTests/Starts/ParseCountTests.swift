/// A datafile is parsed once.
@Suite struct ParseCountTests {
    private let setup = TestSetup()

    @Test func aBuilderAndItsClientsParseADatafileOnce() throws {
        let builder = try required(OPTLYBuilder { $0?.datafile = OldDatafile().data })
        for _ in 0..<2 { #expect(setup.make { Optimizely(builder: builder) }?.config?.revision == "1") }
        #expect(builder.parseCount == 1)
        builder.datafile = OldDatafile(revision: "2").data
        #expect(setup.make { Optimizely(builder: builder) }?.config?.revision == "2")
        #expect(builder.parseCount == 2, "another datafile")
    }

    @Test func aClientBuilderParsesADatafileOnce() {
        let builder = OPTLYClientBuilder { $0.datafile = OldDatafile().data }
        #expect(builder.parseCount == 0)
        for _ in 0..<2 { #expect(setup.make { OPTLYClient(builder: builder) }.revision == "1") }
        #expect(builder.parseCount == 1)
    }

    @Test func theBasicDatafileManagerKeepsTheParsedForm() async throws {
        setup.servers.publish(OldDatafile(revision: "2"))
        let datafiles = setup.make { OPTLYDatafileManagerBasic() }
        let builder = setup.builder { $0.datafileManager = datafiles }
        let manager = try required(setup.make { OPTLYManagerBasic(builder: builder) })
        #expect(await manager.initialized().client?.revision == "2")
        #expect(datafiles.parsed(OldDatafile(revision: "2").data)?.project.revision == "2")
        #expect(datafiles.parsed(OldDatafile().data) == nil)
    }
}
