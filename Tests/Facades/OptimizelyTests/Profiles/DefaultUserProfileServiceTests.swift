@Suite("The default profile service", .ownThread)
struct DefaultUserProfileServiceTests {
    private let map = ["e1": ["variation_id": "v1"]]
    private let service = DefaultUserProfileService()

    @Test("returns a saved profile")
    func saveAndLookup() {
        #expect(service.lookup(userId: "ada") == nil)
        service.save(userProfile: ["user_id": "ada", "experiment_bucket_map": map])
        let profile = service.lookup(userId: "ada")
        #expect(profile?.count == 2)
        #expect(profile?["user_id"] as? String == "ada")
        #expect(profile?["experiment_bucket_map"] as? [String: [String: String]] == map)
        #expect(service.assignments(of: "ada") == ["e1": "v1"])
    }

    @Test("ignores profiles without a user id")
    func noUser() {
        service.save(userProfile: ["experiment_bucket_map": map])
        service.save(userProfile: ["user_id": 7, "experiment_bucket_map": map])
        #expect(service.lookup(userId: "") == nil)
        #expect(service.lookup(userId: "7") == nil)
    }

    @Test("stores assignments only, and adds to them")
    func otherMembers() {
        service.save(userProfile: ["user_id": "ada", "experiment_bucket_map": map, "plan": 3])
        service.merge(["e2": "v2"], for: "ada")
        #expect(service.lookup(userId: "ada")?["plan"] == nil)
        #expect(service.assignments(of: "ada") == ["e1": "v1", "e2": "v2"])
    }

    @Test("reads past the cache for callers, who may save what they found")
    func callersOfTheServiceReadPastTheCache() {
        let file = MemoryProfileStore()
        let services = (0..<2).map { _ in
            DefaultUserProfileService(CachedEditableStore(file, users: 100, lifetime: .seconds(60)))
        }
        #expect(services[0].lookup(userId: "ada") == nil && services[0].assignments(of: "ada").isEmpty)
        services[1].save(userProfile: ["user_id": "ada", "experiment_bucket_map": map])
        #expect(services[0].lookup(userId: "ada")?["experiment_bucket_map"] as? [String: [String: String]] == map)
    }

    @Test("removes all profiles, or replaces them")
    func reset() {
        service.merge(["e1": "v1"], for: "ada")
        service.reset(userProfiles: ["bob": ["user_id": "bob", "experiment_bucket_map": map]])
        #expect(service.lookup(userId: "ada") == nil)
        #expect(service.assignments(of: "bob") == ["e1": "v1"])
        service.reset()
        #expect(service.lookup(userId: "bob") == nil)
    }

    @Test("evicts the least recently used profiles")
    func limit() {
        let service = DefaultUserProfileService(.memory(users: 64))
        for number in 0..<10_000 { service.merge(["e": "v"], for: "user \(number)") }
        let remembered = (0..<10_000).filter { service.lookup(userId: "user \($0)") != nil }
        #expect(remembered.count == 64)
        #expect((remembered.first ?? 0) > 9_000)
    }
}
