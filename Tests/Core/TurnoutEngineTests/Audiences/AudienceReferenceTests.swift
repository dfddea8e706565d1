/// Audiences may refer to audiences. Evaluation is fast for any references.
@Suite(.timeLimit(.minutes(1))) struct AudienceReferenceTests {
    static let beta = #"{"type": "custom_attribute", "name": "beta", "match": "exact", "value": true}"#
    static let tester = User("u", attributes: ["beta": true])

    @Test func audiencesMayNameAudiences() throws {
        let audiences =
            SmallDatafile.audience("a", #"["or", "b"]"#) + "," + SmallDatafile.audience("b", #"["not", "c"]"#)
        let rest = SmallDatafile.audience("c", #"["not", \#(Self.beta)]"#)
        let project = try SmallDatafile.guarded(by: #""a""#, typedAudiences: audiences, audiences: rest).project()
        #expect(project.decide("flag", for: Self.tester).isEnabled)
        #expect(!project.decide("flag", for: User("u", attributes: ["beta": false])).isEnabled)
        #expect(!project.decide("flag", for: User("u")).isEnabled)
    }

    @Test(arguments: [
        #""\"a\"""#, #"["a"]"#, #"["and", "a"]"#, #"["not", "a"]"#, #"["or", ["not", ["and", "a", "a"]]]"#,
    ])
    func audiencesThatNameThemselvesAreUnknown(conditions: String) throws {
        let audience = SmallDatafile.audience("a", conditions)
        for guardian in [#""a""#, #"["not", "a"]"#] {
            let project = try SmallDatafile.guarded(by: guardian, typedAudiences: audience).project()
            let decision = project.decide("flag", for: Self.tester, options: .includeReasons)
            #expect(decision.stage == .noRule)
            #expect(Self.causes(of: decision) == [.cyclicAudience])
        }
    }

    @Test func audiencesThatNameEachOtherAreUnknown() throws {
        let audiences = (0..<10).map { SmallDatafile.audience("\($0)", #"["or", "\#(($0 + 1) % 10)"]"#) }
        for start in 0..<10 {
            let project = try SmallDatafile.guarded(
                by: #""\#(start)""#, typedAudiences: audiences.joined(separator: ",")
            ).project()
            let decision = project.decide("flag", for: Self.tester, options: .includeReasons)
            #expect(Self.causes(of: decision) == [.cyclicAudience])
        }
    }

    @Test func conditionsBeforeASelfReferenceAreEvaluated() throws {
        let audience = SmallDatafile.audience("a", #"["or", \#(Self.beta), "a"]"#)
        let project = try SmallDatafile.guarded(by: #""a""#, typedAudiences: audience).project()
        #expect(project.decide("flag", for: Self.tester).isEnabled)
        #expect(!project.decide("flag", for: User("u")).isEnabled)
    }

    @Test func chainsOfHundredsOfAudiencesAreFollowed() throws {
        let project = try Self.chain(of: 300)
        #expect(project.decide("flag", for: Self.tester).isEnabled)
        #expect(!project.decide("flag", for: User("u")).isEnabled)
    }

    @Test(arguments: [2_000, 20_000]) func tooLongChainsOfAudiencesAreUnknown(length: Int) throws {
        let decision = try Self.chain(of: length).decide("flag", for: Self.tester, options: .includeReasons)
        #expect(!decision.isEnabled && Self.causes(of: decision) == [.tooDeepAudience])
        let text = decision.reasons.map(\.description).joined()
        #expect(text.contains("is nested too deeply") && !text.contains("itself"))
    }

    @Test func tooDeepAndRecursiveAudiencesCauseWarnings() throws {
        let deep = try Self.chain(of: 1_100).warnings
        #expect(!deep.isEmpty && deep.allSatisfy { $0.message.contains("levels deep") })
        #expect(try Self.chain(of: 300).warnings.isEmpty)
        let circle = SmallDatafile.audience("a", #"["or", "b"]"#) + "," + SmallDatafile.audience("b", #"["or", "a"]"#)
        let warnings = try SmallDatafile.guarded(by: #""a""#, typedAudiences: circle).project().warnings
        #expect(warnings.map(\.subject) == ["audience \"audience a\"", "audience \"audience b\""])
        #expect(warnings.allSatisfy { $0.message.contains("refers to itself") })
    }

    /// Time depends on the conditions evaluated, not on the size of an audience.
    @Test(arguments: [1, 3]) func largeAudiencesAreEvaluated(count: Int) throws {
        // Conditions of an unknown type, which are the shortest possible.
        let fillers = String(repeating: "{},", count: rounds(30_000, thorough: 300_000) / count)
        let audiences = (0..<count).map { number in
            SmallDatafile.audience("\(number)", #"["or", \#(fillers) \#(number == count - 1 ? Self.beta : "{}")]"#)
        }
        let names = (0..<count).map { "\"\($0)\"" }.joined(separator: ", ")
        let project = try SmallDatafile.guarded(
            by: "[\"or\", \(names)]", typedAudiences: audiences.joined(separator: ",")
        ).project()
        #expect(project.decide("flag", for: Self.tester).isEnabled)
        let decision = project.decide("flag", for: User("u", attributes: ["beta": false]), options: .includeReasons)
        #expect(!decision.isEnabled && !Self.causes(of: decision).contains(.cyclicAudience))
    }

    @Test func audiencesWithExponentialPathsAreEvaluated() throws {
        for levels in [10, 30, 200] {
            let doubling = (0..<levels).map { SmallDatafile.audience("\($0)", #"["and", "\#($0 + 1)", "\#($0 + 1)"]"#) }
            let last = SmallDatafile.audience("\(levels)", Self.beta)
            let project = try SmallDatafile.guarded(
                by: #""0""#, typedAudiences: (doubling + [last]).joined(separator: ",")
            ).project()
            #expect(project.decide("flag", for: Self.tester).isEnabled)
            #expect(!project.decide("flag", for: User("u", attributes: ["beta": false])).isEnabled)
            #expect(project.warnings.isEmpty)
        }
    }

    @Test(arguments: ["or", "and"]) func evaluationOfExponentialAudiencesIsBounded(word: String) throws {
        for levels in [10, 30, 60] {
            let doubling = (0..<levels).map {
                SmallDatafile.audience("\($0)", #"["\#(word)", "\#($0 + 1)", "\#($0 + 1)"]"#)
            }
            let last = SmallDatafile.audience("\(levels)", Self.beta)
            let project = try SmallDatafile.guarded(
                by: #""0""#, typedAudiences: (doubling + [last]).joined(separator: ",")
            ).project()
            for user in [Self.tester, User("u"), User("u", attributes: ["beta": false])] {
                _ = project.decide("flag", for: user, options: .includeReasons).reasons
            }
            if levels == 10 { #expect(project.decide("flag", for: Self.tester).isEnabled) }
        }
    }

    @Test func duplicateAudienceIDsUseTheFirstTypedAudience() throws {
        let everyone = #"["not", ["or"]]"#
        let nobody = #"["or"]"#
        func isIn(_ typed: [String], _ legacy: [String]) throws -> Bool {
            let texts = [typed, legacy].map { $0.map { SmallDatafile.audience("a", $0) }.joined(separator: ",") }
            let datafile = SmallDatafile.guarded(by: #""a""#, typedAudiences: texts[0], audiences: texts[1])
            return try datafile.project().decide("flag", for: User("u")).isEnabled
        }
        #expect(try isIn([everyone], [nobody]))
        #expect(try !isIn([nobody], [everyone]))
        #expect(try isIn([everyone, nobody], []))
        #expect(try !isIn([], [nobody, everyone]))
    }

    // MARK: Helpers

    private static func chain(of length: Int) throws -> Project {
        let links = (0..<length).map { SmallDatafile.audience("\($0)", #"["and", "\#($0 + 1)"]"#) }
        let end = SmallDatafile.audience("\(length)", beta)
        return try SmallDatafile.guarded(by: #""0""#, typedAudiences: (links + [end]).joined(separator: ",")).project()
    }

    private static func causes(of decision: Decision) -> [UnknownCause] {
        decision.reasons.compactMap { if case .audienceUnknown(let unknown) = $0 { unknown.cause } else { nil } }
    }
}
