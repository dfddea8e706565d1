import Foundation
import Testing
import TurnoutEngine

/// Runs every case of every file in `Cases`, or in the folder that `TURNOUT_SPECIFICATION` names.
@Suite struct SpecificationTests {
    @Test func everyCaseIsDecidedAsMeasured() async throws {
        try await run("engine", SpecificationGroup<EngineRunner>.self)
    }

    /// There are no calls for the place of a user in a bucket and for the keys of cached predictions.
    @Test func everyDecisionIsTheSameThroughTheOptimizelyInterface() async throws {
        try await run("Optimizely", SpecificationGroup<FacadeRunner>.self, leavingOut: ["bucketing", "cmabCache"])
    }

    private func run<Runner>(
        _ title: String, _ runner: SpecificationGroup<Runner>.Type, leavingOut omitted: Set<String> = []
    ) async throws {
        var report = SpecificationReport(title: title)
        for file in try SpecificationFile.all() {
            for (group, cases) in file.groups.sorted(by: { $0.key < $1.key }) where !omitted.contains(group) {
                for (number, example) in cases.enumerated() {
                    // There are thousands; others want to go on, too.
                    await Task.yield()
                    let failure = await runner.failure(of: example, in: group)
                    report.add(group: group, passed: failure == nil)
                    if let failure {
                        let name = example["name"]?.text ?? "case \(number)"
                        Issue.record("\(file.name), \(group), \(name): \(failure)")
                    }
                }
            }
        }
        print(report.text)
        #expect(report.passed > 0, "no cases found")
    }
}

/// Counts what passed and what failed, by group.
struct SpecificationReport {
    let title: String
    private var groups: [(name: String, passed: Int, failed: Int)] = []

    init(title: String) { self.title = title }

    var passed: Int { groups.reduce(0) { $0 + $1.passed } }
    var failed: Int { groups.reduce(0) { $0 + $1.failed } }

    mutating func add(group name: String, passed: Bool) {
        let index = groups.firstIndex { $0.name == name } ?? groups.count
        if index == groups.count { groups.append((name, 0, 0)) }
        if passed { groups[index].passed += 1 } else { groups[index].failed += 1 }
    }

    var text: String {
        groups.map { "\(title), \($0.name): \($0.passed) passed, \($0.failed) failed\n" }.joined()
            + "\(title): \(passed) passed, \(failed) failed"
    }
}

/// A file of cases.
struct SpecificationFile {
    let name: String
    let groups: [String: [JSONValue]]

    static func all() throws -> [SpecificationFile] {
        let named = ProcessInfo.processInfo.environment["TURNOUT_SPECIFICATION"].map { URL(fileURLWithPath: $0) }
        let folder = named ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Cases")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map { try SpecificationFile(contentsOf: $0) }
    }

    private init(contentsOf url: URL) throws {
        name = url.lastPathComponent
        let document = try JSONValue(parsing: [UInt8](Data(contentsOf: url)))
        groups = (document["groups"]?.members ?? [:]).mapValues { group in
            // One group shares a base datafile between its cases.
            guard let base = group["base"] else { return group.elements ?? [] }
            return (group["cases"]?.elements ?? []).map { .object(($0.members ?? [:]).merging(["base": base]) { $1 }) }
        }
    }
}
