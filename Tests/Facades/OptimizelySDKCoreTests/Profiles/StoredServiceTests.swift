/// A manager keeps assignments in any profile store.
@Suite struct StoredServiceTests {
    private let store = MemoryProfileStore()
    private let profile: [AnyHashable: Any] = [
        "user_id": "ada", "experiment_bucket_map": ["1": ["variation_id": "11"]],
    ]

    @Test func profilesAreAddedAndFound() {
        let service = OPTLYStoredUserProfileService(store)
        #expect(service.lookup("ada") == nil)
        service.save(profile)
        #expect(store.profile(of: "ada") == UserProfile(["1": "11"]))
        #expect(OPTLYUserProfile(dictionary: service.lookup("ada"))?.getVariationId(forExperimentId: "1") == "11")
    }

    @Test func savingKeepsTheAssignmentsOfOtherPrograms() {
        let service = OPTLYStoredUserProfileService(store)
        store.save(["2": "22"], for: "ada")
        service.save(profile)
        #expect(store.profile(of: "ada") == UserProfile(["1": "11", "2": "22"]))
    }

    @Test func malformedProfilesAreIgnored() {
        let service = OPTLYStoredUserProfileService(store)
        for malformed: [AnyHashable: Any] in [[:], ["user_id": 1], ["user_id": "ada"]] { service.save(malformed) }
        #expect(store.profile(of: "ada").assignments.isEmpty)
    }
}
