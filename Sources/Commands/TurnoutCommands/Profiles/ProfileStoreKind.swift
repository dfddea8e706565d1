import TurnoutClient

/// A kind of store, and the prefixes of its addresses.
struct ProfileStoreKind {
    /// The prefixes of addresses, such as `memcached://`.
    let prefixes: [String]
    /// The trait that a build needs for it; nil if every build has it.
    let trait: String?
    /// Opens the store at an address, with this access; nil if this build lacks the trait.
    var open: ((_ address: String, _ access: Access, _ option: String, _ log: any Log) throws -> OpenProfiles)?

    enum Access {
        /// Reads a store that exists.
        case read
        /// Also writes.
        case write
        /// Also creates a store that is missing.
        case create
    }

    static var all: [ProfileStoreKind] { [sqlite, memcached, redis] }

    /// Whether a text is an address of a store rather than the name of a file.
    static func isAddress(_ text: String) -> Bool {
        text.contains("://") || all.contains { kind in kind.prefixes.contains { text.hasPrefix($0) } }
    }

    /// Opens the store at an address, which an option of the command line has. A store that goes on without one of its
    /// servers logs a warning.
    ///
    /// - Throws: `UsageError` if the address matches no kind, `CommandError` if the build lacks the trait, or the error
    ///   of opening the store.
    static func open(
        _ address: String, _ access: Access, option: String, log: any Log = .standardError
    ) throws -> OpenProfiles {
        guard let kind = all.first(where: { kind in kind.prefixes.contains { address.hasPrefix($0) } }) else {
            // Only the scheme: the rest may contain passwords.
            throw UsageError.invalidValue(
                option: option, value: address.divided(at: ":").head,
                expected: "an address that begins with " + all.flatMap(\.prefixes).joined(separator: ", "), nearest: nil
            )
        }
        guard let open = kind.open else {
            let trait = kind.trait ?? ""
            throw CommandError("this build is without \(trait); build with --traits default,\(trait)")
        }
        return try open(address, access, option, log)
    }
}

/// An open store and its operations for commands.
struct OpenProfiles {
    let store: any ProfileStore
    /// Forgets a user, and returns whether the user was known.
    let forget: (String) throws -> Bool
    /// The number of stored users; nil if the store cannot count them.
    let count: (() throws -> Int)?
}

extension OpenProfiles {
    /// Wraps a store. `forget` looks the user up before erasing.
    init(_ store: any ProfileStore, erase: @escaping (String) throws -> Void, count: (() throws -> Int)?) {
        self.store = store
        self.count = count
        forget = { userID in
            // An unreadable profile exists, and can be erased.
            let profile = try? store.profile(of: userID)
            try erase(userID)
            return profile.map { !$0.assignments.isEmpty } ?? true
        }
    }
}
