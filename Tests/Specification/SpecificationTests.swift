import Testing
import TurnoutEngine

/// Runs every case of every file in `Cases`, one group at a time; see `Cases/README.md` for how to run some of
/// them.
@Suite struct SpecificationTests {
    @Test func casesAreFound() throws { #expect(try SpecificationCase.load().count > 0) }

    @Test(arguments: SpecificationCase.groups) func theEngineDecidesAsMeasured(group: String) async {
        for example in SpecificationCase.all where example.group == group {
            let failure = await SpecificationGroup<EngineRunner>.failure(of: example.content, in: group)
            if let failure { Issue.record("\(example.name): \(failure)") }
        }
    }

    /// The interface has no calls for buckets and for the keys of cached predictions.
    @Test(arguments: SpecificationCase.groups.filter { !["bucketing", "cmabCache"].contains($0) })
    func theOptimizelyInterfaceDecidesAsMeasured(group: String) async {
        for example in SpecificationCase.all where example.group == group {
            let failure = await SpecificationGroup<FacadeRunner>.failure(of: example.content, in: group)
            if let failure { Issue.record("\(example.name): \(failure)") }
        }
    }
}
