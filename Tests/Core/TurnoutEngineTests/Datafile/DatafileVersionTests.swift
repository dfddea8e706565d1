@Suite struct DatafileVersionTests {
    @Test(arguments: ["", "1", "2", "3", "5", "4.0", " 4", "04", "four"])
    func currentClientsAcceptOnlyVersion4(version: String) throws {
        let datafile = SmallDatafile(version: SmallDatafile.quoted(version))
        let error = try #require(throws: DatafileError.self) { try datafile.project() }
        #expect(error == .unsupportedVersion(version))
        #expect(error.compatibleText == "Provided datafile version (\(version)) is not supported.")
        #expect(error.description.hasPrefix("$.version: "))
        #expect(try SmallDatafile().project().version == "4")
    }

    @Test(arguments: ["2", "3", "4"]) func olderClientsAcceptVersions2To4(version: String) throws {
        for spelling in [version, SmallDatafile.quoted(version)] {
            let datafile = SmallDatafile(version: spelling)
            #expect(try Project(datafile: Array(datafile.text.utf8), format: .legacy).version == version)
        }
    }

    @Test(arguments: ["1", "5", "\"\"", "\"4.0\"", "4.0"]) func olderClientsRefuseOtherVersions(version: String) throws
    {
        let datafile = SmallDatafile(version: version)
        let error = try #require(throws: DatafileError.self) {
            try Project(datafile: Array(datafile.text.utf8), format: .legacy)
        }
        #expect(error == .unsupportedVersion(version.replacing("\"", with: "")))
    }

    @Test(arguments: [version2, version3]) func olderFilesAreReadByTheOlderFormatOnly(text: String) throws {
        let error = try #require(throws: DatafileError.self) { try Project(datafile: Array(text.utf8)) }
        guard case .unsupportedVersion = error else { Issue.record("\(error)"); return }
        let project = try Project(datafile: Array(text.utf8), format: .legacy)
        #expect(project.flags.isEmpty)
        #expect(project.projectID == "1886780721")
        let matched = User("ppid1", attributes: ["browser": "firefox"])
        #expect(project.decideExperiment("layout", for: matched)?.variationKey == "wide")
        #expect(project.decideExperiment("layout", for: User("ppid1"))?.variationKey == nil)
        #expect(project.decideExperiment("layout", for: User("tester"))?.variationKey == "narrow")
        #expect(project.decide("any", for: matched).stage == .flagNotFound)
    }

    @Test func optionalMembersOfOlderFilesHaveDefaults() throws {
        #expect(try Project(datafile: Array(version2.utf8), format: .legacy).anonymizesIP)
        #expect(try !Project(datafile: Array(version3.utf8), format: .legacy).anonymizesIP)
        let null = version2.replacing(#""groups""#, with: #""anonymizeIP": null, "rollouts": null, "groups""#)
        #expect(try Project(datafile: Array(null.utf8), format: .legacy).anonymizesIP)
    }

    @Test(arguments: ["experiments", "groups", "audiences", "attributes", "events", "accountId", "revision"])
    func otherMembersOfOlderFilesAreRequired(member: String) throws {
        let document = try JSONValue(parsing: version2).replacing(member, with: nil)
        let error = try #require(throws: DatafileError.self) { try Project(datafile: document.bytes, format: .legacy) }
        #expect(error.description.contains("\"\(member)\" is missing"))
    }

    @Test func olderFilesMayHaveNumbersInsteadOfTexts() throws {
        let text = version2.replacing(#""1001""#, with: "1001").replacing(#""10011""#, with: "10011")
        #expect(text != version2)
        let project = try Project(datafile: Array(text.utf8), format: .legacy)
        let decision = try #require(project.decideExperiment("layout", for: User("tester")))
        #expect(decision.rule?.id == "1001")
        #expect(decision.variation?.id == "10011")
        #expect(throws: DatafileError.self) { try Project(datafile: Array(text.utf8)) }
    }

    @Test func currentFilesAreEquivalentInTheOlderFormat() throws {
        let current = try ExampleShop.project()
        let legacy = try Project(datafile: ExampleShop.datafile, format: .legacy)
        for user in try ExampleShop.users() {
            let summaries = [current, legacy].map {
                $0.decideAll(for: user, options: .includeReasons).decisions.map(\.summary)
            }
            #expect(summaries[0] == summaries[1])
        }
    }

    @Test func anUnsupportedVersionIsReportedBeforeMissingMembers() throws {
        let texts = [
            #"{"version": "5", "projectId": "1", "flags": []}"#,
            SmallDatafile(version: #""5""#).text.replacing(#""revision": "1""#, with: #""revision": 1"#),
        ]
        for text in texts {
            let error = try #require(throws: DatafileError.self) { try Project(datafile: Array(text.utf8)) }
            #expect(error == .unsupportedVersion("5"))
            #expect(error.description == "$.version: version \"5\" is not supported")
        }
    }

    @Test func aSupportedVersionReportsMissingMembers() throws {
        let error = try #require(throws: DatafileError.self) {
            try Project(datafile: Array(#"{"version": "4", "projectId": "1"}"#.utf8))
        }
        #expect(error.description.contains("is missing"))
    }
}

/// A datafile of 2015: no flags, no rollouts, audiences as text.
private let version2 = #"""
    {"version": "2", "projectId": "1886780721", "accountId": "1886780000", "revision": "7", "groups": [],
     "experiments": [{
       "id": "1001", "key": "layout", "status": "Running", "layerId": "1", "audienceIds": ["20"],
       "variations": [{"id": "10011", "key": "narrow"}, {"id": "10012", "key": "wide"}],
       "trafficAllocation": [{"entityId": "10012", "endOfRange": 10000}],
       "forcedVariations": {"tester": "narrow"}, "percentageIncluded": 10000}],
     "audiences": [{"id": "20", "name": "Firefox",
       "conditions":
         "[\"and\", [\"or\", {\"name\": \"browser\", \"value\": \"firefox\", \"type\": \"custom_attribute\"}]]"}],
     "attributes": [{"id": "30", "key": "browser", "segmentId": "31"}], "dimensions": [],
     "events": [{"id": "40", "key": "purchase", "experimentIds": ["1001"]}]}
    """#

/// Version 3 added variables, which are not yet grouped by flags.
private let version3 =
    version2.replacing(#""version": "2""#, with: #""version": "3", "anonymizeIP": false, "variables": []"#)
    .replacing(#""key": "wide""#, with: #""key": "wide", "variables": [{"id": "50", "value": "1"}]"#)
