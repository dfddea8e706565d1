public import Testing
public import TurnoutClient

/// Checks that a source of datafiles keeps its promises.
///
/// An implementation must promise that
/// - it hands out each datafile once, and nil as long as there is no other;
/// - a failure is thrown, and the next request tries again;
/// - the last good datafile is kept, whatever fails afterwards;
/// - many may ask at once: none of them gets an old datafile or half of one.
///
/// - Parameters:
///   - location: Where failures are reported.
///   - make: Makes a source, whose origin has no datafile yet.
///   - publish: Puts a datafile where the source looks for it.
///   - breakDown: Makes requests fail until the next datafile is published. Default: that is not checked.
/// - Throws: What the implementation throws where it should not.
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
    #expect(try await source.newest() == datafiles[0], "a new datafile is handed out", sourceLocation: location)
    #expect(try await source.newest() == nil, "an unchanged datafile is not", sourceLocation: location)
    #expect(source.kept() == datafiles[0], "the last good datafile is kept", sourceLocation: location)
    try await publish(source, datafiles[1])
    try await checkConcurrentRequests(source, datafiles[1], location)
    if let breakDown {
        try await breakDown(source)
        await #expect(throws: (any Error).self, "a failure is thrown", sourceLocation: location) {
            _ = try await source.newest()
        }
        #expect(source.kept() == datafiles[1], "what was kept survives failures", sourceLocation: location)
    }
    try await publish(source, datafiles[2])
    #expect(
        try await source.newest() == datafiles[2], "the next datafile is handed out, whatever happened before",
        sourceLocation: location)
    #expect(source.kept() == datafiles[2], "the last good datafile is kept", sourceLocation: location)
}

private func checkConcurrentRequests(
    _ source: some DatafileSource, _ datafile: [UInt8], _ location: SourceLocation
) async throws {
    let answers = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
        for _ in 0..<16 { group.addTask { try await source.newest() } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
    let found = answers.compactMap { $0 }
    #expect(!found.isEmpty, "of many who ask at least one gets the datafile", sourceLocation: location)
    #expect(found.allSatisfy { $0 == datafile }, "nobody gets another datafile", sourceLocation: location)
    #expect(try await source.newest() == nil, "afterwards there is no other", sourceLocation: location)
    #expect(source.kept() == datafile, "the last good datafile is kept", sourceLocation: location)
}
