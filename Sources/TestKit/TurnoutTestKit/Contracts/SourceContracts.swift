public import Testing
public import TurnoutClient

/// Checks that a datafile source fulfills its contract.
///
/// An implementation must guarantee that
/// - it returns each datafile once, and nil until there is a newer one;
/// - a failure is thrown, and the next request tries again;
/// - the last good datafile is kept, whatever fails afterwards;
/// - concurrent requests never return an old or partial datafile.
///
/// - Parameters:
///   - location: Where failures are reported.
///   - make: Creates a source whose origin has no datafile yet.
///   - publish: Publishes a datafile at the source's origin.
///   - breakDown: Makes requests fail until the next datafile is published. Default: nil, not checked.
/// - Throws: Unexpected errors of the implementation.
public func checkDatafileSource<Source: DatafileSource>(
    sourceLocation location: SourceLocation = #_sourceLocation, _ make: () async throws -> Source,
    publish: (Source, [UInt8]) async throws -> Void, breakDown: ((Source) async throws -> Void)? = nil
) async throws {
    let source = try await make()
    let datafiles = (1...3).map { number -> [UInt8] in
        var script = Script()
        script.revision = "\(number)"
        return script.datafile
    }
    try await publish(source, datafiles[0])
    #expect(try await source.newest()?.bytes == datafiles[0], "a new datafile is returned", sourceLocation: location)
    #expect(try await source.newest() == nil, "an unchanged datafile is not", sourceLocation: location)
    #expect(source.cached()?.bytes == datafiles[0], "the last good datafile is kept", sourceLocation: location)
    try await publish(source, datafiles[1])
    try await checkConcurrentRequests(source, datafiles[1], location)
    if let breakDown {
        try await breakDown(source)
        await #expect(throws: (any Error).self, "a failure is thrown", sourceLocation: location) {
            _ = try await source.newest()
        }
        #expect(
            source.cached()?.bytes == datafiles[1], "the last good datafile survives failures", sourceLocation: location
        )
    }
    try await publish(source, datafiles[2])
    #expect(
        try await source.newest()?.bytes == datafiles[2], "the next datafile is returned after a failure",
        sourceLocation: location)
    #expect(source.cached()?.bytes == datafiles[2], "the last good datafile is kept", sourceLocation: location)
}

private func checkConcurrentRequests(
    _ source: some DatafileSource, _ datafile: [UInt8], _ location: SourceLocation
) async throws {
    let results = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
        for _ in 0..<16 { group.addTask { try await source.newest()?.bytes } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
    let found = results.compactMap { $0 }
    #expect(!found.isEmpty, "at least one concurrent request returns the datafile", sourceLocation: location)
    #expect(found.allSatisfy { $0 == datafile }, "no request returns another datafile", sourceLocation: location)
    #expect(try await source.newest() == nil, "afterwards there is no other", sourceLocation: location)
    #expect(source.cached()?.bytes == datafile, "the last good datafile is kept", sourceLocation: location)
}

/// Checks that a prediction source fulfills its contract.
///
/// An implementation must guarantee that
/// - it returns the id of a variation, and queries its origin for each request: the client caches predictions;
/// - it throws if there is no usable result;
/// - results of concurrent requests are not mixed up.
///
/// - Parameters:
///   - location: Where failures are reported.
///   - make: Creates a source whose origin predicts nothing yet.
///   - predict: Sets the variation predicted in an experiment; nil for no usable result.
/// - Throws: Unexpected errors of the implementation.
public func checkPredictionSource<Source: PredictionSource>(
    sourceLocation location: SourceLocation = #_sourceLocation, _ make: () async throws -> Source,
    predict: (Source, _ variationID: String?, _ experimentID: String) async throws -> Void
) async throws {
    let source = try await make()
    let plain = PredictionRequest(userID: "ada", ruleID: "1", attributes: [])
    let rich = PredictionRequest(
        userID: "a\"d\u{0}é🙂", ruleID: "1", attributes: [("20", "US"), ("21", 1.5), ("22", true), ("23", .null)])
    for (number, request) in [plain, rich].enumerated() {
        try await predict(source, "1\(number)", "1")
        #expect(
            try await source.variationID(for: request, uuid: "u\(number)") == "1\(number)",
            "the predicted variation is the result, also to the second request", sourceLocation: location)
    }
    try await predict(source, nil, "1")
    await #expect(throws: (any Error).self, "no usable result is an error", sourceLocation: location) {
        _ = try await source.variationID(for: plain, uuid: "u")
    }
    for number in 0..<32 { try await predict(source, "variation \(number)", "\(number)") }
    try await withThrowingTaskGroup { group in
        for number in 0..<32 {
            group.addTask {
                let request = PredictionRequest(userID: "user \(number)", ruleID: "\(number)", attributes: [])
                let result = try await source.variationID(for: request, uuid: "u\(number)")
                #expect(
                    result == "variation \(number)", "results of many requests are not mixed up",
                    sourceLocation: location)
            }
        }
        try await group.waitForAll()
    }
}

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
