import TurnoutClient
import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

/// `turnout profiles`: shows or deletes a user's stored assignments.
package struct ProfilesCommand: Command {
    static let store = "--store"
    private static let user = "--user"
    private static let actions = ["get", "delete", "count", "check", "schema"]

    package static let syntax = CommandSyntax(
        name: "profiles", summary: "Shows or deletes a user's stored assignments; checks a store.",
        discussion: """
            get prints the profile as JSON, in the schema that the vendor's clients share; the profile of an unknown \
            user is empty. delete removes the user's profile, and says whether there was one. count prints the number \
            of users in the store. get and count change nothing; they report a damaged file and leave it as it is.

            check uses the store as clients do, alone and under every policy, and reports which of the guarantees of a \
            profile store it breaks. It adds users whose ids begin with turnout-check- and a random number, and \
            removes them. schema prints the statement that creates the table of cassandra://..., and connects to \
            nothing.

            A store is sqlite:DIRECTORY, as programs that keep assignments in a file use it; \
            memcached://HOST:PORT,..., where users cannot be counted; redis://HOST:PORT, redis+unix://PATH or \
            redis-cluster://HOST:PORT,..., with TLS rediss://HOST:PORT or rediss-cluster://HOST:PORT,...; or \
            cassandra://HOST,...:PORT/KEYSPACE. After a question mark may follow prefix=..., table=..., timeout=250ms \
            and the like, as in programs.
            """,
        operands: .init("ACTION", "get, delete, count, check or schema.", count: 1...1, words: actions),
        options: [
            .value(store, "ADDRESS", "The store.").required(),
            .value(user, "ID", "The user to show or delete.").short("u").orEmpty(),
        ],
        examples: [
            .init("turnout profiles get --store sqlite:/var/lib/shop/turnout --user ada", "A user's profile."),
            .init("turnout profiles delete --store memcached://cache1,cache2 --user ada", "Forgets a user."),
            .init(
                "turnout profiles schema --store cassandra://db1,db2/shop?dc=eu", "The statement for a table."),
            .init("turnout profiles check --store cassandra://db1,db2/shop?dc=eu", "Checks a table and its cluster."),
        ],
        json: [
            .init("user_id", "The id of the user; get prints one profile."),
            .init("experiment_bucket_map", "By the ids of experiments: variation_id, the stored variation."),
        ])

    private enum Action {
        case get(String), delete(String), count, check, schema
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
        case ("check", nil): action = .check
        case ("schema", nil): action = .schema
        case ("count", _?), ("check", _?), ("schema", _?):
            throw UsageError.conflicting(arguments.operands[0], Self.user)
        case (let text, _):
            throw UsageError.invalidValue(
                option: "ACTION", value: text, expected: "get, delete, count, check or schema",
                nearest: Spelling.nearest(to: text, among: Self.actions))
        }
    }

    func run() async throws -> Int32 {
        let (text, isGood) = if case .check = action { try await check() } else { (try output(), true) }
        guard StandardStream.output.put(text + "\n") else {
            throw CommandError.unwritten("the output")
        }
        return isGood ? 0 : Self.differenceExitCode
    }

    /// Checks the store, and removes the users of the check.
    ///
    /// - Throws: ``CommandError`` if the store cannot be used.
    package func check() async throws -> (text: String, isGood: Bool) {
        let check = StoreCheck(profiles: try ProfileStoreKind.open(address, .write, option: Self.store))
        let result = await check.run()
        if let failure = result.failure {
            throw CommandError("the check ended early: \(failure)", advice: result.leftUsersNote(prefix: check.prefix))
        }
        return (result.text(prefix: check.prefix), result.isGood)
    }

    /// The output of the command, except for a check.
    package func output() throws -> String {
        if case .schema = action { return try ProfileStoreKind.schema(of: address, option: Self.store) }
        let access: ProfileStoreKind.Access = if case .delete = action { .write } else { .read }
        let profiles = try ProfileStoreKind.open(address, access, option: Self.store)
        switch action {
        case .get(let userID): return json(try profiles.store.profile(of: userID), of: userID)
        case .delete(let userID):
            return try profiles.forget(userID) ? "The user was known, and is forgotten." : "The user was not known."
        case .count:
            guard let count = profiles.count else {
                throw CommandError("this store cannot count its users")
            }
            return "\(try count())"
        // Both have returned before.
        case .check, .schema: return ""
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
