import TestSupport
import TurnoutServer

/// Values that are computed from the served datafiles.
@Suite struct DatafileProjectionTests {
    private let directory = DatafileDirectory()
    private let computed = Collected<Void>()

    private var revisions: DatafileProjection<[String]> {
        DatafileProjection(of: directory) { [computed] directory in
            computed.add(())
            return directory.sdkKeys.compactMap { directory[$0]?.project.revision }
        }
    }

    @Test func aValueIsComputedOnceForEachChange() throws {
        let revisions = revisions
        #expect(computed.count == 0)
        #expect(revisions.value == [] && revisions.value == [])
        #expect(computed.count == 1)
        try directory.publish(datafile(revision: "1"), for: "a")
        #expect(computed.count == 1)
        #expect(revisions.value == ["1"])
        try directory.publish(datafile(revision: "2"), for: "a")
        #expect(revisions.value == ["2"] && revisions.value == ["2"])
        #expect(computed.count == 3)
    }

    @Test func aValueIsComputedAgainOnRequest() {
        let revisions = revisions
        _ = revisions.value
        revisions.invalidate()
        _ = revisions.value
        #expect(computed.count == 2)
    }
}
