import Optimizely
import OptimizelySDKiOS
import TestSupport

/// The code of "Which variation, and why it stays" works as described.
@Suite struct RememberingTests {
    init() { HostEnvironment.standard.withLock { $0 = HostEnvironment() } }

    /// Longer than the page recommends, for busy machines.
    private let timeout = Duration.seconds(30)

    @Test func storesAreUsedUnderAPolicy() async throws {
        let (store, datafile) = (MemoryProfileStore(), shop)

        var configuration = ClientConfiguration()
        let profiles = store.applying(ProfilePolicy(age: .seconds(60), deadline: timeout))
        configuration.profiles = profiles
        let client = try FlagClient(datafile: datafile, configuration)

        try await profiles.prefetch(userIDs: ["ada", "grace"])

        let ada = client.user("ada", attributes: ["country": "US", "orders": 12])
        #expect(ada.decide("checkout_redesign").variationKey == "one_page")
        await client.close(within: .seconds(10))
        await client.close(within: .seconds(30))
        #expect(store.profile(of: "ada").assignments.count == 1)
        #expect(client.profileFailures.total == 0)
    }

    @Test func theOptimizelyInterfaceTakesAnyStore() async throws {
        let store = MemoryProfileStore()

        let service = StoredUserProfileService(store.applying(ProfilePolicy(deadline: timeout)))
        let optimizely = OptimizelyClient(sdkKey: "…", userProfileService: service)

        try optimizely.start(
            datafile: String(decoding: shop, as: UTF8.self), doUpdateConfigOnNewDatafile: false,
            doFetchDatafileBackground: false)
        let user = optimizely.createUserContext(userId: "ada", attributes: ["country": "US", "orders": 12])
        #expect(user.decide(key: "checkout_redesign").variationKey == "one_page")
        try await wait("the assignment is stored") { store.profile(of: "ada").assignments.count == 1 }
    }

    @Test func theObjectiveCInterfaceTakesAnyStore() async throws {
        let store = MemoryProfileStore()

        let service = OPTLYStoredUserProfileService(store.applying(ProfilePolicy(deadline: timeout)))
        let manager = OPTLYManager(builder: OPTLYManagerBuilder { $0?.userProfileService = service })

        #expect(manager == nil, "a manager also needs a key or a datafile")
        let working = OPTLYManager(
            builder: OPTLYManagerBuilder {
                $0?.sdkKey = "shop"
                $0?.datafile = .init(shop)
                $0?.userProfileService = service
            })
        let ada: [String: Any] = ["country": "US", "orders": 12]
        let variation = working?.initialize()?.activate("checkout_test", userId: "ada", attributes: ada)
        #expect(variation?.variationKey == "one_page")
        try await wait("the assignment is stored") { store.profile(of: "ada").assignments.count == 1 }
    }
}
