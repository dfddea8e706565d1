/// Runs every case of every file in `Cases` as a separate test case; see `Cases/README.md` for how to run some of
/// them.
@Suite struct SpecificationTests {
    @Test func casesAreFound() throws { #expect(try SpecificationCase.load().count > 0) }

    @Test(arguments: SpecificationCase.all) func theEngineDecidesAsMeasured(example: SpecificationCase) async {
        if let failure = await SpecificationGroup<EngineRunner>.failure(of: example.content, in: example.group) {
            Issue.record("\(example.testDescription): \(failure)")
        }
    }

    @Test(arguments: SpecificationCase.ofTheInterface)
    func theOptimizelyInterfaceDecidesAsMeasured(example: SpecificationCase) async {
        if let failure = await SpecificationGroup<FacadeRunner>.failure(of: example.content, in: example.group) {
            Issue.record("\(example.testDescription): \(failure)")
        }
    }
}
