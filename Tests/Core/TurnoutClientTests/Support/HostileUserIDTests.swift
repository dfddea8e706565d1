/// User ids whose comparison as `String` takes quadratic time.
@Suite struct HostileUserIDTests {
    private static func userID(_ size: Int) -> String { "e" + String(repeating: "\u{301}\u{323}", count: size / 4) }

    /// Every decision looks its user up in the table of forced variations once that is not empty.
    @Test func forcedVariationsAreLookedUpInLinearTime() throws {
        let client = FlagClient.scripted(Script(.split("a", between: "1", "2")), configuration: .quiet())
        let experiment = try #require(client.project?.experiments.first?.key)
        #expect(client.forceVariation("1", inExperiment: experiment, forUser: "ada"))
        try expectLinearTime("forced variations") { size in
            let user = client.user(Self.userID(size))
            return { user.decide("a").isEnabled ? 1 : 0 }
        }
    }
}
