public import Testing
public import TurnoutClient

/// Checks that a profile store keeps its promises.
///
/// ```swift
/// @Test func keepsTheContract() async throws {
///     try await checkProfileStore { MemoryProfileStore() }
/// }
/// ```
///
/// An implementation must promise that
/// - users it knows nothing about have an empty profile, which is not an error;
/// - assignments are added to those there are, of two for one experiment the later one wins;
/// - users are told apart, whatever their ids look like: by the bytes, also where `String` calls two ids equal;
/// - many users may be looked up at once, also the same one twice, and also nobody; of ids that `String` calls equal
///   the first is looked up;
/// - what it tells without waiting, if anything, is what it tells;
/// - nothing is lost or seen by halves when many tasks add to the profile of one user.
///
/// - Parameters:
///   - underEveryWrapper: Whether everything is checked again through each of the stores that wrap others: a cache, a
///     buffer, a deadline, a fallback, and all of them together. Default: false.
///   - sourceLocation: Where failures are reported.
///   - make: Makes a store that is empty.
/// - Throws: What the implementation throws where it should not.
public func checkProfileStore<Store: ProfileStore>(
    underEveryWrapper: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: () async throws -> Store
) async throws {
    for wrap in underEveryWrapper ? [{ $0 }] + wrappers : [{ $0 }] {
        for check in [checkMerging, checkUserIDs, checkConcurrentMerging] {
            let store = wrap(try await make())
            try await check(store, sourceLocation)
            // What is still on its way must not turn up in the next store.
            await store.flush(within: .seconds(300))
        }
    }
}

/// Limits and lifetimes that no machine is too slow for: what is checked does not depend on time.
private let wrappers: [@Sendable (any ProfileStore) -> any ProfileStore] = [
    { $0.cached(users: 1_000, for: .seconds(3_600)) },
    { $0.cached(users: 16, for: .zero) },
    { $0.writingBehind(log: .silent) },
    { $0.within(.seconds(300), log: .silent) },
    { $0.fallingBack(to: MemoryProfileStore(), log: .silent) },
    { MemoryProfileStore().fallingBack(to: $0, log: .silent) },
    {
        $0.fallingBack(to: .memory, log: .silent).within(.seconds(300), log: .silent).writingBehind(log: .silent)
            .cached()
    },
]

@Sendable private func checkMerging(_ store: any ProfileStore, _ location: SourceLocation) async throws {
    #expect(
        try store.profile(of: "nobody") == UserProfile(), "unknown users have an empty profile",
        sourceLocation: location)
    try store.remember(["1": "11"], for: "ada")
    try store.remember(["2": "21", "3": "31"], for: "ada")
    #expect(
        try store.profile(of: "ada") == UserProfile(["1": "11", "2": "21", "3": "31"]),
        "assignments are added to those there are", sourceLocation: location)
    let inMemory = store.profileInMemory(of: "ada")
    #expect(
        inMemory == nil || inMemory?.assignments.count == 3, "what is told without waiting is what is told",
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
        try store.profile(of: "grace") == UserProfile(), "adding nothing to nothing is nothing",
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
            "the user \(id.debugDescription) is told apart from the others", sourceLocation: location)
    }
    let profiles = try store.profiles(of: ids + ["nobody", "ada"])
    for (number, id) in ids.enumerated() {
        #expect(
            profiles[id] == UserProfile(["1": "\(number)"]),
            "the user \(id.debugDescription) is told apart among many", sourceLocation: location)
    }
    #expect(
        profiles["nobody", default: UserProfile()] == UserProfile() && profiles.count <= ids.count + 1,
        "unknown users among many are empty or missing", sourceLocation: location)
    #expect(try store.profiles(of: []).isEmpty, "of nobody nothing is known", sourceLocation: location)
    try checkSpellings(store, location)
    let strange = ["e'1": "v\"1", "": "", "日本": "🙂"]
    try store.remember(strange, for: "strange")
    #expect(
        try store.profile(of: "strange") == UserProfile(strange), "ids of experiments and variations are any text",
        sourceLocation: location)
}

/// Composed and decomposed letters: two users, although `String` calls their ids equal.
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
                "of ids that String calls equal the first is looked up", sourceLocation: location)
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
                        own == experiment + 1, "what was added can be read at once, and stays",
                        sourceLocation: location)
                }
            }
        }
        try await group.waitForAll()
    }
    let assignments = try store.profile(of: "ada").assignments
    #expect(
        assignments.count == tasks * experiments + 1, "tasks that add to one profile lose nothing of each other",
        sourceLocation: location)
    for task in 0..<tasks {
        #expect(
            try store.profile(of: "user \(task)") == UserProfile(["x": "y"]), "users do not mix",
            sourceLocation: location)
    }
}
