/// The code of "Which variation, and why it stays" works as described.
@Suite struct KeepingTests {
    @Test func usersKeepTheirVariation() throws {
        let datafile = shop
        let moved = try Self.moved(datafile)

        var configuration = ClientConfiguration()
        configuration.profiles = .memory
        let client = try FlagClient(datafile: datafile, configuration)
        let ada = client.user("ada", attributes: ["country": "US", "orders": 12])

        let before = ada.decide("checkout_redesign")
        try client.update(to: moved)
        let after = ada.decide("checkout_redesign")

        #expect(before.variationKey == "one_page")
        #expect(after.variationKey == "one_page" && after.stage == .storedAssignment)
        let forgetful = try FlagClient(datafile: moved)
        let other = forgetful.user("ada", attributes: ["country": "US", "orders": 12]).decide("checkout_redesign")
        #expect(other.variationKey == "control")
    }

    @Test func usersWhoLeaveTheAudienceKeepTheirVariation() throws {
        var configuration = ClientConfiguration()
        configuration.profiles = .memory
        let client = try FlagClient(datafile: shop, configuration)
        _ = client.user("ada", attributes: ["country": "US", "orders": 12]).decide("checkout_redesign")

        let moved = client.user("ada", attributes: ["country": "FI", "orders": 12]).decide("checkout_redesign")

        #expect(moved.variationKey == "one_page" && moved.stage == .storedAssignment)
        let forced = client.user("ada", attributes: ["country": "US", "orders": 12])
        #expect(client.forceVariation("control", inExperiment: "checkout_test", forUser: "ada"))
        #expect(forced.decide("checkout_redesign").variationKey == "control")
    }

    /// The datafile with all traffic of `checkout_test` on `control`.
    private static func moved(_ datafile: [UInt8]) throws -> [UInt8] {
        Array(
            String(decoding: datafile, as: UTF8.self)
                .replacing(#""revision": "42""#, with: #""revision": "43""#)
                .replacing(#""41011", "endOfRange": 4000"#, with: #""41011", "endOfRange": 10000"#).utf8)
    }
}

/// Remembers assignments in a table.
struct TableProfileStore: ProfileStore {
    let table: any Table

    func profile(of userID: String) throws -> UserProfile {
        UserProfile(try table.variationsByExperiment(of: userID))
    }

    func save(_ assignments: [String: String], for userID: String) throws {
        for (experiment, variation) in assignments { try table.upsert(userID, experiment, variation) }
    }

    var isRemote: Bool { true }
}

protocol Table: Sendable {
    func variationsByExperiment(of userID: String) throws -> [String: String]
    func upsert(_ userID: String, _ experimentID: String, _ variationID: String) throws
}
