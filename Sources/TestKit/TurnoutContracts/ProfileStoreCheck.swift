package import TurnoutClient

/// Uses a profile store, and reports whether it fulfills its contract; `checkProfileStore` of `TurnoutTestKit` lists
/// the guarantees.
package struct ProfileStoreCheck: Sendable {
    private let report: @Sendable (_ isFulfilled: Bool, _ guarantee: String) -> Void

    /// Creates a check.
    ///
    /// - Parameter report: Called for each comparison, on any thread.
    package init(_ report: @escaping @Sendable (_ isFulfilled: Bool, _ guarantee: String) -> Void) {
        self.report = report
    }

    /// Checks stores.
    ///
    /// - Parameters:
    ///   - underEveryPolicy: Whether everything is checked again under policies.
    ///   - make: Creates an empty store.
    /// - Throws: Errors of a store; the rest is then not checked.
    package func run<Store: ProfileStore>(
        underEveryPolicy: Bool, _ make: () async throws -> Store
    ) async throws {
        for policy in underEveryPolicy ? Self.policies : [nil] {
            for check in [checkMerging, checkUserIDs, checkConcurrentMerging, checkForgetting] {
                let made = try await make()
                let store: any ProfileStore = policy.map { made.applying($0, log: .silent) } ?? made
                // Pending writes must appear neither in the next store nor after the caller has removed the users.
                do { try await check(store) } catch {
                    await store.flush(within: .seconds(30))
                    throw error
                }
                await store.flush(within: .seconds(30))
            }
        }
    }

    /// No policy, each part alone, and all together. The deadline is long: what is checked does not depend on time.
    private static let policies: [ProfilePolicy?] = [
        nil,
        ProfilePolicy(age: .zero, cachedUsers: 16, deadline: .seconds(30), bufferedAssignments: 0),
        ProfilePolicy(age: .seconds(3_600), bufferedAssignments: 0),
        ProfilePolicy(age: .zero, cachedUsers: 16),
        ProfilePolicy(age: .seconds(3_600), deadline: .seconds(30)),
    ]

    private func checkMerging(_ store: any ProfileStore) async throws {
        report(try store.profile(of: "unknown") == UserProfile(), "unknown users have an empty profile")
        try store.save(["1": "11"], for: "ada")
        try store.save(["2": "21", "3": "31"], for: "ada")
        report(
            try store.profile(of: "ada") == UserProfile(["1": "11", "2": "21", "3": "31"]),
            "assignments are merged into existing ones")
        let inMemory = store.profileInMemory(of: "ada")
        report(inMemory == nil || inMemory?.assignments.count == 3, "the profile in memory equals the stored one")
        try store.save(["2": "22"], for: "ada")
        report(
            try store.profile(of: "ada") == UserProfile(["1": "11", "2": "22", "3": "31"]),
            "a later assignment replaces an earlier one of the same experiment")
        try store.save([:], for: "ada")
        try store.save([:], for: "grace")
        report(try store.profile(of: "ada").assignments.count == 3, "adding nothing changes nothing")
        report(try store.profile(of: "grace") == UserProfile(), "adding nothing creates no profile")
    }

    private func checkUserIDs(_ store: any ProfileStore) async throws {
        let ids = [
            "", " ", "ada", "Ada", "ada ", "a\"d'a", "a;b", "a\\b", "a\nb", "a%b", "a_b", "a:b", "a/b", "../a", "*",
            "日本", "🙂", "a\u{0}b", "a\u{0}c", String(repeating: "x", count: 1_000),
        ]
        for (number, id) in ids.enumerated() { try store.save(["1": "\(number)"], for: id) }
        for (number, id) in ids.enumerated() {
            report(
                try store.profile(of: id) == UserProfile(["1": "\(number)"]),
                "the user \(id.debugDescription) is distinguished from the others")
        }
        let profiles = try store.profiles(of: ids + ["unknown", "ada"])
        for (number, id) in ids.enumerated() {
            report(
                profiles[id] == UserProfile(["1": "\(number)"]),
                "the user \(id.debugDescription) is distinguished among many")
        }
        report(
            profiles["unknown", default: UserProfile()] == UserProfile() && profiles.count <= ids.count + 1,
            "unknown users among many are empty or missing")
        report(try store.profiles(of: []).isEmpty, "looking up no users returns nothing")
        try checkSpellings(store)
        let strange = ["e'1": "v\"1", "": "", "日本": "🙂"]
        try store.save(strange, for: "strange")
        report(
            try store.profile(of: "strange") == UserProfile(strange), "ids of experiments and variations are any text")
    }

    /// Composed and decomposed letters: two users, although `String` treats their ids as equal.
    private func checkSpellings(_ store: any ProfileStore) throws {
        for ids in [["\u{E9}", "e\u{301}"], ["Zoe\u{308}", "Zo\u{EB}"]] {
            for (number, id) in ids.enumerated() { try store.save(["1": "\(number)"], for: id) }
            for (number, id) in ids.enumerated() {
                let expected = UserProfile(["1": "\(number)"])
                let inMemory = store.profileInMemory(of: id)
                report(
                    try store.profile(of: id) == expected && (inMemory == nil || inMemory == expected),
                    "ids that differ by their bytes are two users")
                let others = ids.filter { !$0.utf8.elementsEqual(id.utf8) }
                report(
                    try store.profiles(of: [id] + others + ["ada"])[id] == expected,
                    "of ids that String treats as equal, the first is looked up")
            }
        }
    }

    /// A store without ``ProfileStore/forget(_:)`` is not checked.
    private func checkForgetting(_ store: any ProfileStore) async throws {
        for id in ["ada", "grace"] { try store.save(["1": "11"], for: id) }
        _ = try store.profile(of: "ada")
        do { try store.forget("ada") } catch ProfileStoreError.cannotForget { return }
        report(try store.profile(of: "ada") == UserProfile(), "a forgotten user has an empty profile")
        report(try store.profile(of: "grace") == UserProfile(["1": "11"]), "other users keep their profiles")
        try store.forget("unknown")
        await store.flush(within: .seconds(30))
        report(try store.profile(of: "ada") == UserProfile(), "nothing that was queued brings a forgotten user back")
        try store.save(["2": "21"], for: "ada")
        report(try store.profile(of: "ada") == UserProfile(["2": "21"]), "a forgotten user can return")
    }

    private func checkConcurrentMerging(
        _ store: any ProfileStore
    ) async throws {
        let (tasks, experiments) = (8, 25)
        try await withThrowingTaskGroup { group in
            for task in 0..<tasks {
                group.addTask {
                    for experiment in 0..<experiments {
                        try store.save(["\(task)/\(experiment)": "v", "shared": "\(task)"], for: "ada")
                        try store.save(["x": "y"], for: "user \(task)")
                        let known = try store.profile(of: "ada").assignments
                        let own = known.keys.filter { $0.hasPrefix("\(task)/") }.count
                        report(own == experiment + 1, "added assignments can be read at once, and stay")
                    }
                }
            }
            try await group.waitForAll()
        }
        let assignments = try store.profile(of: "ada").assignments
        report(assignments.count == tasks * experiments + 1, "tasks that add to one profile lose nothing")
        for task in 0..<tasks {
            report(try store.profile(of: "user \(task)") == UserProfile(["x": "y"]), "users are not mixed up")
        }
    }
}
