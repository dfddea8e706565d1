/// A kind of store, and how its addresses begin.
struct ProfileStoreKind {
    /// How addresses of this kind begin: `memcached://`.
    let prefixes: [String]
    /// The trait that a build needs for it, which is also its name.
    let trait: String
    /// Opens the store of an address; nil: this build is without the trait.
    var open: ((String) throws -> OpenProfiles)?

    static var all: [ProfileStoreKind] { [sqlite, memcached, redis] }

    /// Opens the store of an address.
    ///
    /// - Throws: `UsageError` if the address is of no kind, `CommandError` if the build is without it or it fails.
    static func open(_ address: String) throws -> OpenProfiles {
        guard let kind = all.first(where: { kind in kind.prefixes.contains { address.hasPrefix($0) } }) else {
            // No more than the beginning: there may be passwords in the rest.
            throw UsageError.invalidValue(
                option: ProfilesCommand.store, value: address.divided(at: ":").head,
                expected: "an address that begins with " + all.flatMap(\.prefixes).joined(separator: ", "), nearest: nil
            )
        }
        guard let open = kind.open else {
            throw CommandError("this build is without \(kind.trait); build with --traits default,\(kind.trait)")
        }
        return try open(address)
    }
}
