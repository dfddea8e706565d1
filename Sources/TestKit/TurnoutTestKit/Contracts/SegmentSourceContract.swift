public import Testing
public import TurnoutClient

/// Checks that a segment source fulfills its contract.
///
/// An implementation must guarantee that
/// - it returns exactly the candidates that the user belongs to;
/// - unknown users belong to no segment, which is not an error;
/// - results of concurrent requests are not mixed up.
///
/// - Parameters:
///   - location: Where failures are reported.
///   - make: Creates a source whose origin has no users yet.
///   - put: Sets the segments of a user.
/// - Throws: Unexpected errors of the implementation.
public func checkSegmentSource<Source: SegmentSource>(
    sourceLocation location: SourceLocation = #_sourceLocation, _ make: () async throws -> Source,
    put: (Source, _ userID: String, _ segments: Set<String>) async throws -> Void
) async throws {
    let source = try await make()
    func expect(_ user: String, _ candidates: [String], _ expected: Set<String>, _ why: Comment) async throws {
        let result = try await source.segments(of: user, among: candidates)
        #expect(Set(result) == expected, why, sourceLocation: location)
    }
    try await put(source, "ada", ["gold", "é\"🙂", "early"])
    try await expect("ada", ["gold", "silver", "é\"🙂"], ["gold", "é\"🙂"], "matching candidates are returned")
    try await expect("ada", ["silver"], [], "only candidates are returned")
    try await expect("ada", [], [], "without candidates there are no segments")
    try await expect("unknown", ["gold"], [], "unknown users belong to no segment")
    try await put(source, "ada", ["silver"])
    try await expect("ada", ["gold", "silver"], ["silver"], "each request queries the origin")
    for number in 0..<32 { try await put(source, "user \(number)", ["segment \(number)"]) }
    let candidates = (0..<32).map { "segment \($0)" }
    try await withThrowingTaskGroup { group in
        for number in 0..<32 {
            group.addTask {
                let result = try await source.segments(of: "user \(number)", among: candidates)
                #expect(
                    result == ["segment \(number)"], "results of many requests are not mixed up",
                    sourceLocation: location)
            }
        }
        try await group.waitForAll()
    }
}
