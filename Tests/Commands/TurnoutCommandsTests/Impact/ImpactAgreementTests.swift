/// The matrix of `turnout impact` agrees to the user with two runs of `turnout decide`.
@Suite struct ImpactAgreementTests {
    private static let shop = URL(filePath: #filePath).appending(path: "../../../../../Examples/Shop").standardized.path
    private let directory = TemporaryDirectory(isCreated: true)

    /// The shop's datafile with other traffic, another variable, and one flag less.
    private func editedShop() throws -> String {
        var text = try String(contentsOfFile: Self.shop + "/datafile.json", encoding: .utf8)
        for (part, replacement) in [
            (#"{ "entityId": "41011", "endOfRange": 4000 }"#, #"{ "entityId": "41011", "endOfRange": 2500 }"#),
            (#"{ "entityId": "4201", "endOfRange": 5000 }"#, #"{ "entityId": "4201", "endOfRange": 7000 }"#),
            (#"{ "entityId": "55031", "endOfRange": 3000 }"#, #"{ "entityId": "55031", "endOfRange": 6000 }"#),
            (#""Picked by our staff""#, #""Our favorites""#), (#""key": "dark_mode""#, #""key": "night_mode""#),
        ] {
            #expect(text.contains(part), "the sample shop no longer contains \(part)")
            text = text.replacingOccurrences(of: part, with: replacement)
        }
        return try directory.write(text, to: "edited.json")
    }

    @Test(arguments: [false, true]) func theShopsMatrixIsThatOfTwoRuns(isGenerated: Bool) async throws {
        let (old, new) = (Self.shop + "/datafile.json", try editedShop())
        var (users, profiles) = (Self.shop + "/users.ndjson", Self.shop + "/profiles.json")
        if isGenerated {
            profiles = try storedArms(of: 1...600)
            let like = try String(contentsOfFile: users, encoding: .utf8).split(separator: "\n")
            let lines = (1...600).map { number in
                like[number % like.count].replacing(/"user":"[a-z]+"/, with: #""user":"\#(number)""#)
            }
            users = try directory.write(lines.joined(separator: "\n"), to: "users.ndjson")
        }
        let shared = ["--users", users, "--profiles", profiles, "--output"]
        let before = try await decisions(["decide", "--datafile", old] + shared + ["ndjson"])
        let after = try await decisions(["decide", "--datafile", new] + shared + ["ndjson"])
        var expected: [String: [String: Int]] = [:]
        for (place, old) in before where after[place] != nil || place.hasSuffix("/dark_mode") {
            let flag = String(place.split(separator: "/")[1])
            expected[flag, default: [:]]["\(old.variation) → \(after[place]?.variation ?? "null")", default: 0] += 1
        }
        let report = await RunTool.output(of: ["impact", old, new] + shared + ["json"]).output
        let flags = try flags(of: report)
        // None of the shop's eight users crosses between the arms of the checkout.
        #expect(flags.keys.contains("search_ranking") && flags.keys.contains("checkout_redesign") == isGenerated)
        for (flag, cells) in flags where flag != "night_mode" { #expect(cells == expected[flag], "\(flag)") }
        // Flags that are not reported are equal.
        for (place, old) in before where flags[String(place.split(separator: "/")[1])] == nil {
            #expect(old == after[place])
        }
        guard isGenerated else { return }
        // Without the stored arms, more users cross.
        let newcomers = await RunTool.output(of: ["impact", old, new, "--users", users, "--output", "json"]).output
        let matrix = try self.flags(of: newcomers)["checkout_redesign"] ?? [:]
        let crossing = "control → two_step"
        #expect(matrix[crossing] ?? 0 > expected["checkout_redesign"]?[crossing] ?? 0)
    }

    /// A file with stored arms for every second of the users.
    private func storedArms(of numbers: ClosedRange<Int>) throws -> String {
        let profiles = numbers.filter { $0.isMultiple(of: 2) }.map { number in
            let arms = [("4101", "4101\(number % 3 + 1)"), ("4201", "4201\(number % 4 / 2 + 1)")].map {
                #""\#($0)": {"variation_id": "\#($1)"}"#
            }
            return #""\#(number)": {"experiment_bucket_map": {\#(arms.joined(separator: ", "))}}"#
        }
        return try directory.write("{\(profiles.joined(separator: ", "))}", to: "profiles.json")
    }

    private struct Line: Equatable {
        let variation: String
        let values: String
    }

    /// The decisions that a command line prints, by user and flag.
    private func decisions(_ arguments: [String]) async throws -> [String: Line] {
        let output = await RunTool.output(of: arguments).output
        return try output.split(separator: "\n").reduce(into: [:]) { lines, text in
            let line = try JSONValue(parsing: String(text))
            let flag = try string(line["flag"])
            lines[try string(line["user"]) + "/" + flag] = Line(
                variation: try string(line["variation"]),
                values: "\(line["enabled"] ?? .null) \(line["variables"]?["title"] ?? .null)")
        }
    }

    /// The cells of each flag's matrix in a report.
    private func flags(of report: String) throws -> [String: [String: Int]] {
        guard case .array(let flags)? = try JSONValue(parsing: report)["flags"] else { return [:] }
        return try flags.reduce(into: [:]) { result, flag in
            guard case .array(let cells)? = flag["matrix"] else { return }
            let key = try string(flag["flag"])
            for cell in cells {
                guard case .integer(let users)? = cell["users"] else { continue }
                let variations = try [cell["from"], cell["to"]].map { try string($0?["variation"]) }
                result[key, default: [:]][variations.joined(separator: " → "), default: 0] += Int(users)
            }
        }
    }

    private func string(_ value: JSONValue?) throws -> String {
        switch value {
        case .string(let text): text
        case .null: "null"
        default: throw CommandError("expected a text or null")
        }
    }

    @Test func aLargeMatrixIsThatOfDecidingEachUser() throws {
        var (old, new) = (ImpactDatafile(), ImpactDatafile())
        old.flags = (1...20).map { ImpactDatafile.Flag($0) }
        for index in old.flags.indices where index % 3 == 0 { old.flags[index].audience = "us" }
        new.flags = old.flags
        for index in new.flags.indices where index % 2 == 0 { new.flags[index].ends = [2_500, 7_000, 9_000] }
        (new.flags[4].title, new.flags[5].isOn, new.flags[6].status) = ("y", false, "Paused")
        let projects = ProjectPair(try old.project, try new.project)
        let description = #"{"attributes": {"country": {"values": ["US", "DE"], "share": 0.8}}}"#
        let population = Population(
            .description(try PopulationDescription(try JSONValue(parsing: description))), seed: 1)
        var count = ImpactCount(projects, exampleLimit: 5)
        var cells: [[String]: Int] = [:]
        let users = rounds(2_000, thorough: 50_000)
        for number in 1...users {
            let user = population.user(number)
            count.add(user, profile: UserProfile(), place: number)
            let decisions = zip(projects.old.decideAll(for: user).selected, projects.new.decideAll(for: user).selected)
            for (old, new) in decisions {
                cells[[old.flagKey, old.variationKey ?? "", new.variationKey ?? ""], default: 0] += 1
            }
        }
        let summary = ImpactSummary(count, of: projects, names: ("", ""), source: "", isSample: true)
        #expect(summary.users == users && summary.flags.count == 11)
        for flag in summary.flags {
            var sums: [[String]: Int] = [:]
            for cell in flag.cells {
                sums[[flag.key, cell.old.variation ?? "", cell.new.variation ?? ""], default: 0] += cell.users
            }
            #expect(sums == cells.filter { $0.key[0] == flag.key })
        }
    }
}
