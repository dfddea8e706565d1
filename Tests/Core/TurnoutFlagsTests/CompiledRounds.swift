import Foundation

/// Writes compiled random projects with random users, and compiled imports, for `Scripts/prove compare-compiled`.
@Suite struct CompiledRounds {
    private static let environment = ProcessInfo.processInfo.environment

    /// A round is a folder with a datafile and its users. A project is compiled, edited and compiled again, so that its
    /// traffic is in pieces.
    @Test(.enabled(if: Self.environment["TURNOUT_ROUNDS"] != nil, "Scripts/prove compare-compiled runs this test"))
    func randomProjectsAreWritten() throws {
        let seed = UInt64(Self.environment["TURNOUT_ROUNDS_SEED"] ?? "") ?? 0
        let wanted = Int(Self.environment["TURNOUT_ROUNDS_DECISIONS"] ?? "") ?? 2_000
        var (decisions, round, number) = (0, 0, seed)
        while decisions < wanted {
            var random = SplitMix(state: number)
            let project = RandomProject.project(seed: number, hasVerbatim: false).comparable
            let lock = ProjectCompiler(project.withOtherTraffic(&random), lock: LockFile()).compile().lock
            let compiled = ProjectCompiler(project, lock: lock).compile()
            try #require(!compiled.diagnostics.hasErrors, "\(compiled.diagnostics.all)")
            for datafile in compiled.datafiles where !project.flags.isEmpty {
                let users = (0..<200).map { RandomUser(project: project, number: $0, random: &random).json }
                let lines = Array(users.joined(separator: "\n").utf8)
                try write(round, ["datafile.json": datafile.bytes, "users.ndjson": lines])
                round += 1
                decisions += users.count * project.flags.count
            }
            number += 1
        }
    }

    /// A folder for each datafile, with what its imported project compiles to.
    @Test(.enabled(if: Self.environment["TURNOUT_ROUNDS"] != nil, "Scripts/prove compare-compiled runs this test"))
    func importedDatafilesAreWritten() throws {
        for (number, datafile) in try TestDatafile.ofSpecification().enumerated() {
            let imported = try DatafileImport(datafile.bytes)
            let project = try AuthoredProject.read(json: ProjectWriter.node(of: imported.project).json)
            let compiled = ProjectCompiler(project, lock: try LockFile(text: imported.lock.text)).compile()
            let bytes = try #require(compiled.datafiles.first?.bytes, "\(datafile.name)")
            let name = Array(datafile.name.utf8)
            try write(number, ["original.json": datafile.bytes, "compiled.json": bytes, "name.txt": name])
        }
    }

    private func write(_ round: Int, _ files: [String: [UInt8]]) throws {
        let folder = URL(filePath: try #require(Self.environment["TURNOUT_ROUNDS"])).appending(path: String(round))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, bytes) in files { try Data(bytes).write(to: folder.appending(path: name)) }
    }
}

extension AuthoredProject {
    /// The project before an edit of its traffic and its splits.
    fileprivate func withOtherTraffic(_ random: inout SplitMix) -> AuthoredProject {
        var project = self
        for flag in project.flags.indices {
            for rule in project.flags[flag].rules.experiments.indices {
                project.flags[flag].rules.experiments[rule].traffic.buckets = .random(in: 0...10_000, using: &random)
                project.flags[flag].rules.experiments[rule].split.shuffle(using: &random)
            }
            for rule in project.flags[flag].rules.deliveries.indices {
                project.flags[flag].rules.deliveries[rule].traffic.buckets = .random(in: 0...10_000, using: &random)
            }
        }
        return project
    }
}

/// A user whose attributes have values that the conditions of a project compare with, or values near them.
private struct RandomUser {
    let json: String

    init(project: AuthoredProject, number: Int, random: inout SplitMix) {
        let conditions =
            project.audiences.map(\.condition)
            + project.flags.flatMap(\.allRules).flatMap {
                $0.experiments.compactMap(\.audience) + $0.deliveries.compactMap(\.audience)
            } + project.experiments.compactMap(\.audience) + project.holdouts.compactMap(\.audience)
        var tests: [AttributeTest] = []
        var segments: [String] = []
        for condition in conditions { Self.collect(condition, &tests, &segments) }
        let allowed = Set(
            project.flags.flatMap(\.allRules).flatMap(\.experiments).flatMap(\.allowList).flatMap(\.userIDs)
        ).sorted()
        var attributes: [String: JSONValue] = [:]
        for attribute in project.attributes where Int.random(in: 0..<6, using: &random) > 0 {
            let values = tests.filter { $0.attribute == attribute.key }
            attributes[attribute.key] = Self.value(near: values.randomElement(using: &random), &random)
        }
        let chosen = segments.filter { _ in Bool.random(using: &random) }.map(JSONValue.string)
        let user = number < allowed.count ? allowed[number] : "user \(number) \(random.next() % 1_000)"
        json =
            JSONValue.object(["user": .string(user), "attributes": .object(attributes), "segments": .array(chosen)])
            .json
    }

    private static func collect(
        _ condition: AuthoredCondition, _ tests: inout [AttributeTest], _ segments: inout [String]
    ) {
        switch condition {
        case .all(let operands), .any(let operands): for operand in operands { collect(operand, &tests, &segments) }
        case .not(let operand): collect(operand, &tests, &segments)
        case .segment(let segment, _): segments.append(segment)
        case .attribute(let test): tests.append(test)
        case .audience, .verbatim: break
        }
    }

    private static func value(near test: AttributeTest?, _ random: inout SplitMix) -> JSONValue {
        let isVersion = test?.match.rawValue.hasPrefix("semver") == true
        if isVersion, Bool.random(using: &random) {
            return .string(["1", "1.9.9", "2.0", "2.0.1", "4.1", "5.2.1", "10"].randomElement(using: &random) ?? "1")
        }
        switch test?.value {
        case .string(let text): return .string(Bool.random(using: &random) ? text : text + "a")
        case .integer(let number): return .integer(min(number + .random(in: -1...1, using: &random), 1 << 52))
        case .double(let number): return .double(number + Double(Int.random(in: -1...1, using: &random)) / 4)
        case .bool(let value): return .bool(value != Bool.random(using: &random))
        default: return [.string("premium"), .integer(3), .bool(true)].randomElement(using: &random) ?? .null
        }
    }
}
