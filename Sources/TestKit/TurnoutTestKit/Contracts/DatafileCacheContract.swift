public import Testing
public import TurnoutClient

/// Checks that a datafile cache fulfills its contract.
///
/// An implementation must guarantee that
/// - a key without a copy returns nil, which is not an error;
/// - a copy is returned unchanged, with its validators, whatever its contents;
/// - a later copy replaces an earlier one as a whole;
/// - keys are distinguished, whatever they contain, and none escapes the storage location.
///
/// - Parameters:
///   - location: Where failures are reported.
///   - make: Creates an empty cache.
/// - Throws: Unexpected errors of the implementation.
public func checkDatafileCache<Cache: DatafileCache>(
    sourceLocation location: SourceLocation = #_sourceLocation, _ make: () async throws -> Cache
) async throws {
    let cache = try await make()
    #expect(try cache.copy(for: "key") == nil, "a new cache is empty", sourceLocation: location)
    try cache.forget("key")
    let copies = [
        DatafileCopy(datafile: Array("{}".utf8), lastModified: "Wed, 21 Oct 2026 07:28:00 GMT", entityTag: "\"a\""),
        DatafileCopy(datafile: Array("{\"a\":1}".utf8)), DatafileCopy(datafile: [0, 255, 10], entityTag: "W/\"é\n\""),
        DatafileCopy(datafile: Array(repeating: 0x20, count: 3_000_000), lastModified: ""),
    ]
    for copy in copies {
        try cache.keep(copy, for: "key")
        #expect(try cache.copy(for: "key") == copy, "a copy is returned unchanged", sourceLocation: location)
    }
    let keys = ["", " ", "../key", "/etc/key", "Key", "a\u{0}b", "é", "🙂", "a'b", String(repeating: "k", count: 1_000)]
    for (number, key) in keys.enumerated() {
        try cache.keep(DatafileCopy(datafile: Array("\(number)".utf8)), for: key)
    }
    for (number, key) in keys.enumerated() {
        #expect(
            try cache.copy(for: key)?.datafile == Array("\(number)".utf8), "\(key.debugDescription) is distinguished",
            sourceLocation: location)
    }
    try cache.forget("key")
    #expect(try cache.copy(for: "key") == nil, "a forgotten copy is removed", sourceLocation: location)
    #expect(try cache.copy(for: "Key") != nil, "other keys stay", sourceLocation: location)
}
