public import Testing
public import TurnoutClient

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
