import TurnoutClient
import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

/// The stored assignments that commands decide with: those in a file or in a store, which is never written.
struct StoredProfiles: Sendable {
    private enum Source: Sendable {
        case file([String: UserProfile])
        case store(any ProfileStore, warnings: MemoryLog)
    }

    private let source: Source

    static let option = CommandOption.value(
        "--profiles", "FILE|ADDRESS",
        "The stored assignments of users, read only: a store's address as \"turnout profiles\" takes it, or a file: "
            + #"{"ada": {"experiment_bucket_map": {"<experiment id>": {"variation_id": "<id>"}}}}"#)

    /// The profiles that a command line names; none without the option.
    ///
    /// - Throws: `UsageError` for an unknown kind of address, `CommandError`, or the error of opening the store.
    init(_ arguments: ParsedArguments) throws {
        source = try arguments.value(Self.option.name).map(Self.source) ?? .file([:])
    }

    private static func source(_ name: String) throws -> Source {
        guard ProfileStoreKind.isAddress(name) else { return .file(try read(name)) }
        let log = MemoryLog(level: .warning)
        do {
            let store = try ProfileStoreKind.open(name, .read, option: option.name, log: log).store
            return .store(store, warnings: log)
        } catch {
            guard error is UsageError || error is CommandError else { throw failure(error) }
            throw error
        }
    }

    /// Reads an object of profiles by user id, in the schema that the vendor's clients share.
    private static func read(_ name: String) throws(CommandError) -> [String: UserProfile] {
        let bytes = try InputFile(name).readAll()
        let example = #"Expected {"ada": {"user_id": "ada", "experiment_bucket_map": {"1": {"variation_id": "2"}}}}."#
        let document: JSONValue
        do throws(JSONError) { document = try JSONValue(parsing: bytes) } catch {
            throw CommandError(error, in: name, advice: example)
        }
        guard case .object(let members) = document else {
            throw CommandError("\(name): expected an object of profiles by user id", advice: example)
        }
        guard members.values.allSatisfy(isProfile) else {
            // A user decided without the assignment would seem to be a new one.
            throw CommandError(
                "\(name)\(place(ofMalformedIn: bytes)) is not readable; nothing was decided", advice: example)
        }
        return members.mapValues { UserProfile($0) }
    }

    /// Whether a profile has the schema. It may have other members beside the map.
    private static func isProfile(_ value: JSONValue) -> Bool {
        guard case .object(let map)? = value["experiment_bucket_map"] else { return false }
        return map.values.allSatisfy { entry in
            guard case .object(let members) = entry, members["variation_id"] != nil else { return false }
            return members.values.allSatisfy { if case .string = $0 { true } else { false } }
        }
    }

    /// Where the first malformed profile is, without the user's id, which is personal data.
    private static func place(ofMalformedIn bytes: [UInt8]) -> String {
        let file = SourceFile(name: "", bytes: bytes)
        guard let root = try? Node(json: file),
            let index = root.members.firstIndex(where: { !isProfile($0.value.jsonValue) })
        else { return ": the profile of a user" }
        let position = file.position(of: root.members[index].key.range.lowerBound)
        return ":\(position.line):\(position.column): the profile of user \(index + 1)"
    }

    /// The profile of a user if it is in memory; nil if a store has to be asked.
    @inline(__always)
    func profileInMemory(of userID: String) -> UserProfile? {
        guard case .file(let profiles) = source else { return nil }
        // Without profiles no id is hashed.
        return profiles.isEmpty ? UserProfile() : profiles[userID] ?? UserProfile()
    }

    /// The profile of one user.
    ///
    /// - Throws: `CommandError` if the store failed.
    func profile(of userID: String) throws(CommandError) -> UserProfile {
        if let known = profileInMemory(of: userID) { return known }
        return try profiles(of: [userID]).first ?? UserProfile()
    }

    /// The profiles of many users, in the order of their ids.
    ///
    /// - Throws: `CommandError` if the store failed for one of them.
    func profiles(of userIDs: [String]) throws(CommandError) -> [UserProfile] {
        guard case .store(let store, let warnings) = source else {
            return userIDs.map { profileInMemory(of: $0) ?? UserProfile() }
        }
        var found: [ByteKey: UserProfile] = [:]
        do {
            // A lookup has room for one of the ids that differ in composed and decomposed letters only.
            for ids in userIDs.bySpelling {
                for (id, profile) in try store.profiles(of: ids) { found[ByteKey(id)] = profile }
            }
        } catch { throw Self.failure(error) }
        // A client continues with the remaining servers. Here, the users of the others would seem to be new.
        if let warning = warnings.entries.first { throw Self.failure(warning.message) }
        return userIDs.map { found[ByteKey($0)] ?? UserProfile() }
    }

    /// The error of a store. Its text names the store, without passwords.
    private static func failure(_ cause: Any) -> CommandError {
        CommandError(
            "stored assignments cannot be looked up: \(cause)",
            advice: "Without them, users would be decided as new ones. Check the store and its address.")
    }
}

/// Passes on elements with the stored assignments of their users, in the order in which they are added.
///
/// Users of a store are looked up many at once, because each request waits for a server or a file.
struct ProfileLookup<Element> {
    private let profiles: StoredProfiles
    private var waiting: [(element: Element, userID: String)] = []
    /// Why the store failed. From then on, no elements are passed on.
    private(set) var failure: CommandError?

    private static var batchSize: Int { 1_000 }

    init(in profiles: StoredProfiles) { self.profiles = profiles }

    /// Adds an element. Calls the function for elements whose assignments are known then.
    @inline(__always)
    mutating func add(_ element: Element, userID: String, _ body: (Element, UserProfile) -> Void) {
        if let known = profiles.profileInMemory(of: userID) { return body(element, known) }
        waiting.append((element, userID))
        if waiting.count >= Self.batchSize { finish(body) }
    }

    /// Calls the function for the elements that are left.
    mutating func finish(_ body: (Element, UserProfile) -> Void) {
        defer { waiting.removeAll(keepingCapacity: true) }
        guard failure == nil, !waiting.isEmpty else { return }
        do throws(CommandError) {
            let found = try profiles.profiles(of: waiting.map(\.userID))
            for (waiting, profile) in zip(waiting, found) { body(waiting.element, profile) }
        } catch { failure = error }
    }
}
