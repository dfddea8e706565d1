/// Predictions are cached by user, rule and the attributes that the rule uses.
@Suite(.blocking) struct PredictionCacheTests {
    private let network: TestNetwork

    init() throws { network = try TestNetwork() }

    private func predict(_ id: String) throws {
        try network.always(Address.prediction("51"), .json(#"{"predictions":[{"variation_id":"\#(id)"}]}"#))
    }

    private var count: Int { get throws { try network.requests(Address.prediction("51")).count } }

    /// Decides for a user through one of the interfaces.
    private typealias Decide = (_ user: String, _ attributes: [String: Int], _ options: [CacheOption]) async -> String?

    enum CacheOption: CaseIterable {
        case ignore, reset, invalidate

        var old: OptimizelyDecideOption {
            switch self {
            case .ignore: .ignoreCmabCache
            case .reset: .resetCmabCache
            case .invalidate: .invalidateUserCmabCache
            }
        }
        var new: DecideOptions {
            switch self {
            case .ignore: .ignoreCmabCache
            case .reset: .resetCmabCache
            case .invalidate: .invalidateUserCmabCache
            }
        }
    }

    enum Interface: CaseIterable { case old, new }

    private func decide(_ interface: Interface) throws -> (decide: Decide, update: (Datafile) throws -> Void) {
        switch interface {
        case .old:
            let client = try network.started()
            return (
                { user, attributes, options in
                    await client.createUserContext(userId: user, attributes: attributes)
                        .decideAsync(key: "bandit", options: options.map(\.old)).variationKey
                }, { try client.start(datafile: $0.data, doFetchDatafileBackground: false) }
            )
        case .new:
            let client = try network.client { $0.predictions = .http(transport: network.transport) }
            return (
                { user, attributes, options in
                    let attributes = Attributes(attributes.mapValues { .integer(Int64($0)) })
                    let options = DecideOptions(options.map(\.new))
                    return await client.user(user, attributes: attributes)
                        .decide("bandit", within: .seconds(25), options: options).variationKey
                }, { try client.update(to: $0.bytes) }
            )
        }
    }

    @Test(arguments: Interface.allCases)
    func aPredictionIsReusedForTheSameAttributes(_ interface: Interface) async throws {
        let (decide, _) = try decide(interface)
        try predict("511")
        #expect(await decide("ada", ["plan": 1, "age": 1], []) == "arm511")
        try predict("512")
        #expect(await decide("ada", ["plan": 1, "age": 2], []) == "arm511", "the rule does not use the age")
        #expect(try count == 1)
        #expect(await decide("bob", ["plan": 1], []) == "arm512", "another user")
        #expect(await decide("ada", ["plan": 2], []) == "arm512", "other attributes")
        #expect(try count == 3)
        #expect(await decide("ada", ["plan": 1], []) == "arm512", "only a user's last prediction is cached")
        #expect(try count == 4)
    }

    @Test(arguments: Interface.allCases) func optionsBypassOrEmptyTheCache(_ interface: Interface) async throws {
        let (decide, _) = try decide(interface)
        try predict("511")
        for user in ["ada", "bob"] { #expect(await decide(user, [:], []) == "arm511") }
        try predict("512")
        #expect(await decide("ada", [:], [.ignore]) == "arm512")
        #expect(await decide("ada", [:], []) == "arm511", "it is still there")
        #expect(try count == 3)
        #expect(await decide("ada", [:], [.ignore, .reset, .invalidate]) == "arm512")
        for user in ["ada", "bob"] { #expect(await decide(user, [:], []) == "arm511", "bypassing takes precedence") }
        #expect(try count == 4)
        #expect(await decide("ada", [:], [.invalidate]) == "arm512")
        #expect(await decide("ada", [:], []) == "arm512")
        #expect(await decide("bob", [:], []) == "arm511", "others are still there")
        #expect(try count == 5)
        #expect(await decide("ada", [:], [.reset]) == "arm512")
        #expect(await decide("bob", [:], []) == "arm512", "the cache was emptied")
        #expect(try count == 7)
    }

    @Test(arguments: Interface.allCases)
    func aPredictionOfADeletedVariationIsRequestedAgain(_ interface: Interface) async throws {
        let (decide, update) = try decide(interface)
        try predict("511")
        #expect(await decide("ada", [:], []) == "arm511")
        try update(Datafile(revision: "2"))
        #expect(await decide("ada", [:], []) == "arm511")
        #expect(try count == 1)
        try update(Datafile(revision: "3", arms: ["512", "513"]))
        try predict("513")
        #expect(await decide("ada", [:], []) == "arm513")
        #expect(try count == 2)
    }

    @Test func withoutACacheEachDecisionSendsARequest() async throws {
        try predict("511")
        let client = try network.started(cmab: CmabConfig(cacheSize: 0))
        for _ in 0..<3 { _ = await network.decideOld("ada", client) }
        #expect(try count == 3)
    }
}
