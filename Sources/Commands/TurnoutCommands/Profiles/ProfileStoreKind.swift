/// A kind of store, and the prefixes of its addresses.
struct ProfileStoreKind {
    /// The prefixes of addresses, such as `memcached://`.
    let prefixes: [String]
    /// The trait that a build needs for it; nil if every build has it.
    let trait: String?
    /// Opens the store at an address, for reading or also for writing; nil if this build lacks the trait.
    var open: ((_ address: String, _ access: Access) throws -> OpenProfiles)?

    enum Access {
        case read, write
    }

    static var all: [ProfileStoreKind] { [sqlite, memcached, redis] }

    /// Opens the store at an address.
    ///
    /// - Throws: `UsageError` if the address matches no kind, `CommandError` if the build lacks the trait, or the error
    ///   of opening the store.
    static func open(_ address: String, _ access: Access) throws -> OpenProfiles {
        guard let kind = all.first(where: { kind in kind.prefixes.contains { address.hasPrefix($0) } }) else {
            // Only the scheme: the rest may contain passwords.
            throw UsageError.invalidValue(
                option: ProfilesCommand.store, value: address.divided(at: ":").head,
                expected: "an address that begins with " + all.flatMap(\.prefixes).joined(separator: ", "), nearest: nil
            )
        }
        guard let open = kind.open else {
            let trait = kind.trait ?? ""
            throw CommandError("this build is without \(trait); build with --traits default,\(trait)")
        }
        return try open(address, access)
    }
}
