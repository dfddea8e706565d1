import TurnoutClient
import TurnoutEngine
import TurnoutFlags

/// `turnout profiles`: shows or deletes a user's stored assignments.
package struct ProfilesCommand: Command {
    static let store = "--store"
    private static let user = "--user"

    package static let syntax = CommandSyntax(
        name: "profiles", summary: "Shows or deletes a user's stored assignments.",
        discussion: """
            get prints the profile as JSON, in the schema that the vendor's clients share; the profile of an unknown \
            user is empty. delete removes the user's profile, and says whether there was one. count prints the number \
            of users in the store. get and count change nothing; they report a damaged file and leave it as it is.

            A store is sqlite:DIRECTORY, as programs that keep assignments in a file use it; \
            memcached://HOST:PORT,..., where users cannot be counted; or redis://HOST:PORT, redis+unix://PATH or \
            redis-cluster://HOST:PORT,..., with TLS rediss://HOST:PORT or rediss-cluster://HOST:PORT,... Those of \
            Redis need a build with --traits default,Redis. After a question mark may follow prefix=..., \
            timeout=250ms and the like, as in programs.
            """,
        operands: .init("ACTION", "get, delete or count.", count: 1...1, words: ["get", "delete", "count"]),
        options: [
            .value(store, "ADDRESS", "The store.").required(),
            .value(user, "ID", "The user to show or delete.").short("u").orEmpty(),
        ],
        examples: [
            .init("turnout profiles get --store sqlite:/var/lib/shop/turnout --user ada", "A user's profile."),
            .init("turnout profiles delete --store memcached://cache1,cache2 --user ada", "Forgets a user."),
        ])

    private enum Action {
        case get(String), delete(String), count
    }

    private let action: Action
    private let address: String

    package init(_ arguments: ParsedArguments) throws {
        address = arguments[Self.store]
        let userID = arguments.value(Self.user)
        switch (arguments.operands.first ?? "", userID) {
        case ("get", let userID?): action = .get(userID)
        case ("delete", let userID?): action = .delete(userID)
        case ("get", nil), ("delete", nil): throw UsageError.missing(anyOf: [Self.user])
        case ("count", nil): action = .count
        case ("count", _?): throw UsageError.conflicting("count", Self.user)
        case (let text, _):
            throw UsageError.invalidValue(
                option: "ACTION", value: text, expected: "get, delete or count",
                nearest: Spelling.nearest(to: text, among: ["get", "delete", "count"]))
        }
    }

    func run() throws -> Int32 {
        guard StandardStream.output.put(try output() + "\n") else {
            throw CommandError.unwritten("the output")
        }
        return 0
    }

    /// The output of the command.
    package func output() throws -> String {
        let access: ProfileStoreKind.Access = if case .delete = action { .write } else { .read }
        let profiles = try ProfileStoreKind.open(address, access, option: Self.store)
        switch action {
        case .get(let userID): return json(try profiles.store.profile(of: userID), of: userID)
        case .delete(let userID):
            return try profiles.forget(userID) ? "The user was known, and is forgotten." : "The user was not known."
        case .count:
            guard let count = profiles.count else {
                throw CommandError("this store cannot tell how many users it knows")
            }
            return "\(try count())"
        }
    }

    private func json(_ profile: UserProfile, of userID: String) -> String {
        var writer = JSONWriter()
        writer.value(
            .object([
                "user_id": .string(userID),
                "experiment_bucket_map": .object(
                    profile.assignments.mapValues { .object(["variation_id": .string($0)]) }),
            ]))
        return writer.text
    }
}
