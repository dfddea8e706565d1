public import Testing
public import TurnoutClient

/// Checks that a source of segments keeps its promises.
///
/// An implementation must promise that
/// - it names those of the candidates that the user belongs to, and nothing else;
/// - users it does not know belong to none, which is not an error;
/// - answers to many requests at once are not mixed up.
///
/// - Parameters:
///   - location: Where failures are reported.
///   - make: Makes a source whose origin knows nobody yet.
///   - put: Puts a user into segments, in place of those before.
/// - Throws: What the implementation throws where it should not.
public func checkSegmentSource<Source: SegmentSource>(
    sourceLocation location: SourceLocation = #_sourceLocation, _ make: () async throws -> Source,
    put: (Source, _ userID: String, _ segments: Set<String>) async throws -> Void
) async throws {
    let source = try await make()
    func expect(_ user: String, _ candidates: [String], _ expected: Set<String>, _ why: Comment) async throws {
        let answer = try await source.segments(of: user, among: candidates)
        #expect(Set(answer) == expected, why, sourceLocation: location)
    }
    try await put(source, "ada", ["gold", "é\"🙂", "early"])
    try await expect("ada", ["gold", "silver", "é\"🙂"], ["gold", "é\"🙂"], "the candidates that fit are named")
    try await expect("ada", ["silver"], [], "segments that are no candidates are not named")
    try await expect("ada", [], [], "without candidates there is nothing to name")
    try await expect("nobody", ["gold"], [], "users who are not known belong to no segment")
    try await put(source, "ada", ["silver"])
    try await expect("ada", ["gold", "silver"], ["silver"], "each request asks anew")
    for number in 0..<32 { try await put(source, "user \(number)", ["segment \(number)"]) }
    let candidates = (0..<32).map { "segment \($0)" }
    try await withThrowingTaskGroup { group in
        for number in 0..<32 {
            group.addTask {
                let answer = try await source.segments(of: "user \(number)", among: candidates)
                #expect(
                    answer == ["segment \(number)"], "answers to many requests are not mixed up",
                    sourceLocation: location)
            }
        }
        try await group.waitForAll()
    }
}
