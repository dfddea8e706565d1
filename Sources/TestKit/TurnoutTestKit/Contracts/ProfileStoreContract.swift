public import Testing
public import TurnoutClient
import TurnoutContracts

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
/// - users are distinguished by the bytes of their ids, even where `String` treats two ids as equal;
/// - many users may be looked up in one call, including duplicates and none; of ids that `String` treats as equal, the
///   first is looked up;
/// - a profile that is available without waiting, if any, equals the stored one;
/// - nothing is lost or partially visible while many tasks add to the profile of one user;
/// - if the store has `forget(_:)`, it erases one user, and nothing queued brings the assignments back.
///
/// - Parameters:
///   - underEveryPolicy: Whether everything is checked again under policies: a deadline, a cache, a buffer, and all of
///     them together. Default: false.
///   - sourceLocation: Where failures are reported.
///   - make: Creates an empty store.
/// - Throws: Unexpected errors of the implementation.
public func checkProfileStore<Store: ProfileStore>(
    underEveryPolicy: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: () async throws -> Store
) async throws {
    let check = ProfileStoreCheck { isFulfilled, guarantee in
        if !isFulfilled { Issue.record(Comment(rawValue: guarantee), sourceLocation: sourceLocation) }
    }
    try await check.run(underEveryPolicy: underEveryPolicy, make)
}
