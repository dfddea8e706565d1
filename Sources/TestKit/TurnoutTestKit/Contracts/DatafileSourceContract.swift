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
