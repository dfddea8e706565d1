public import Testing
public import TurnoutClient

/// Checks that a profile store fulfills its contract.
///
/// ```swift
/// @Test func keepsTheContract() async throws {
///     try await checkProfileStore { MemoryProfileStore() }
/// }
/// ```
///
/// An implementation must guarantee that
/// - unknown users have an empty profile, which is not an error;
/// - assignments are merged into existing ones, and the later of two for one experiment wins;
/// - users are distinguished by the bytes of their ids, also where `String` treats two ids as equal;
/// - many users may be looked up in one call, including duplicates and none; of ids that `String` treats as equal, the
///   first is looked up;
/// - a profile that is available without waiting, if any, equals the stored one;
/// - nothing is lost or partially visible while many tasks add to the profile of one user.
///
/// - Parameters:
///   - underEveryPolicy: Whether everything is checked again under policies: a cache, a buffer, a deadline, a fallback,
///     and all of them together. Default: false.
///   - sourceLocation: Where failures are reported.
///   - make: Creates an empty store.
/// - Throws: Unexpected errors of the implementation.
public func checkProfileStore<Store: ProfileStore>(
    underEveryPolicy: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: () async throws -> Store
) async throws {
    for policy in underEveryPolicy ? policies : [nil] {
        for check in [checkMerging, checkUserIDs, checkConcurrentMerging] {
            let made = try await make()
            let store: any ProfileStore = policy.map { made.applying($0, log: .silent) } ?? made
            try await check(store, sourceLocation)
            // Pending writes must not appear in the next store.
            await store.flush(within: .seconds(30))
        }
    }
}

/// No policy, each part alone, and all together. The deadline is long: what is checked does not depend on time.
private let policies: [ProfilePolicy?] = [
    nil,
    ProfilePolicy(cache: .init(users: 1_000, lifetime: .seconds(3_600))),
    ProfilePolicy(cache: .init(users: 16, lifetime: .zero)),
    ProfilePolicy(writeBehind: .init()),
    ProfilePolicy(deadline: .seconds(30)),
    ProfilePolicy(fallback: .init(to: .memory)),
    ProfilePolicy(deadline: .seconds(30), cache: .init(), writeBehind: .init(), fallback: .init(to: .memory)),
]

@Sendable private func checkMerging(_ store: any ProfileStore, _ location: SourceLocation) async throws {
    #expect(
        try store.profile(of: "nobody") == UserProfile(), "unknown users have an empty profile",
        sourceLocation: location)
    try store.remember(["1": "11"], for: "ada")
    try store.remember(["2": "21", "3": "31"], for: "ada")
    #expect(
        try store.profile(of: "ada") == UserProfile(["1": "11", "2": "21", "3": "31"]),
        "assignments are merged into existing ones", sourceLocation: location)
    let inMemory = store.profileInMemory(of: "ada")
    #expect(
        inMemory == nil || inMemory?.assignments.count == 3, "the profile in memory equals the stored one",
        sourceLocation: location)
    try store.remember(["2": "22"], for: "ada")
    #expect(
        try store.profile(of: "ada") == UserProfile(["1": "11", "2": "22", "3": "31"]),
        "a later assignment replaces an earlier one of the same experiment", sourceLocation: location)
    try store.remember([:], for: "ada")
    try store.remember([:], for: "grace")
    #expect(
        try store.profile(of: "ada").assignments.count == 3, "adding nothing changes nothing",
        sourceLocation: location)
    #expect(
        try store.profile(of: "grace") == UserProfile(), "adding nothing creates no profile",
        sourceLocation: location)
}

@Sendable private func checkUserIDs(_ store: any ProfileStore, _ location: SourceLocation) async throws {
    let ids = [
        "", " ", "ada", "Ada", "ada ", "a\"d'a", "a;b", "a\\b", "a\nb", "a%b", "a_b", "a:b", "a/b", "../a", "*",
        "日本", "🙂", "a\u{0}b", "a\u{0}c", String(repeating: "x", count: 1_000),
    ]
    for (number, id) in ids.enumerated() { try store.remember(["1": "\(number)"], for: id) }
    for (number, id) in ids.enumerated() {
        #expect(
            try store.profile(of: id) == UserProfile(["1": "\(number)"]),
            "the user \(id.debugDescription) is distinguished from the others", sourceLocation: location)
    }
    let profiles = try store.profiles(of: ids + ["nobody", "ada"])
    for (number, id) in ids.enumerated() {
        #expect(
            profiles[id] == UserProfile(["1": "\(number)"]),
            "the user \(id.debugDescription) is distinguished among many", sourceLocation: location)
    }
    #expect(
        profiles["nobody", default: UserProfile()] == UserProfile() && profiles.count <= ids.count + 1,
        "unknown users among many are empty or missing", sourceLocation: location)
    #expect(try store.profiles(of: []).isEmpty, "looking up no users returns nothing", sourceLocation: location)
    try checkSpellings(store, location)
    let strange = ["e'1": "v\"1", "": "", "日本": "🙂"]
    try store.remember(strange, for: "strange")
    #expect(
        try store.profile(of: "strange") == UserProfile(strange), "ids of experiments and variations are any text",
        sourceLocation: location)
}

/// Composed and decomposed letters: two users, although `String` treats their ids as equal.
private func checkSpellings(_ store: any ProfileStore, _ location: SourceLocation) throws {
    for ids in [["\u{E9}", "e\u{301}"], ["Zoe\u{308}", "Zo\u{EB}"]] {
        for (number, id) in ids.enumerated() { try store.remember(["1": "\(number)"], for: id) }
        for (number, id) in ids.enumerated() {
            let expected = UserProfile(["1": "\(number)"])
            let inMemory = store.profileInMemory(of: id)
            #expect(
                try store.profile(of: id) == expected && (inMemory == nil || inMemory == expected),
                "ids that differ by their bytes are two users", sourceLocation: location)
            let others = ids.filter { !$0.utf8.elementsEqual(id.utf8) }
            #expect(
                try store.profiles(of: [id] + others + ["ada"])[id] == expected,
                "of ids that String treats as equal, the first is looked up", sourceLocation: location)
        }
    }
}

@Sendable private func checkConcurrentMerging(
    _ store: any ProfileStore, _ location: SourceLocation
) async throws {
    let (tasks, experiments) = (8, 25)
    try await withThrowingTaskGroup { group in
        for task in 0..<tasks {
            group.addTask {
                for experiment in 0..<experiments {
                    try store.remember(["\(task)/\(experiment)": "v", "shared": "\(task)"], for: "ada")
                    try store.remember(["x": "y"], for: "user \(task)")
                    let known = try store.profile(of: "ada").assignments
                    let own = known.keys.filter { $0.hasPrefix("\(task)/") }.count
                    #expect(
                        own == experiment + 1, "added assignments can be read at once, and stay",
                        sourceLocation: location)
                }
            }
        }
        try await group.waitForAll()
    }
    let assignments = try store.profile(of: "ada").assignments
    #expect(
        assignments.count == tasks * experiments + 1, "tasks that add to one profile lose nothing",
        sourceLocation: location)
    for task in 0..<tasks {
        #expect(
            try store.profile(of: "user \(task)") == UserProfile(["x": "y"]), "users are not mixed up",
            sourceLocation: location)
    }
}
