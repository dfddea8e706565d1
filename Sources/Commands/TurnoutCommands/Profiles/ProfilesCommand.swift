import TurnoutClient
import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags
import TurnoutReports

/// `turnout profiles`: shows, deletes or copies stored assignments.
package struct ProfilesCommand: Command {
    private static let store = "--store"
    private static let target = "--to"
    private static let user = "--user"
    private static let users = "--users"
    private static let actions = ["get", "delete", "copy", "count", "check", "schema"]

    package static let syntax = CommandSyntax(
        name: "profiles", summary: "Shows, deletes or copies stored assignments; checks a store.",
        discussion: """
            get prints the profile as JSON, in the schema that the vendor's clients share; the profile of an unknown \
            user is empty. delete removes the user's profile, and says whether there was one. count prints the number \
            of users in the store. get and count change nothing; they report a damaged file and leave it as it is.

            copy adds what a store knows of the users in a file to another store, which keeps its own assignment where \
            both have one. To move, copy, let programs use the new store, and copy again what was added meanwhile. \
            An assignment that a program adds at the same moment may be replaced by the older one.

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
        operands: .init("ACTION", "get, delete, copy, count, check or schema.", count: 1...1, choices: .words(actions)),
        options: [
            .value(store, "ADDRESS", "The store.").required(),
            .value(user, "ID", "The user to show or delete.").short("u").orEmpty(),
            .value(target, "ADDRESS", "The store to copy to."),
            .value(users, "FILE", "The users to copy: a file as \"turnout decide\" reads it."),
        ],
        examples: [
            "turnout profiles get --store sqlite:/var/lib/shop/turnout --user ada": "A user's profile.",
            "turnout profiles delete --store memcached://cache1,cache2 --user ada": "Forgets a user.",
            "turnout profiles copy --store memcached://cache1 --to redis://db1 --users users.ndjson":
                "Moves users to another store.",
            "turnout profiles schema --store cassandra://db1,db2/shop?dc=eu": "The statement for a table.",
            "turnout profiles check --store cassandra://db1,db2/shop?dc=eu": "Checks a table and its cluster.",
        ],
        json: [
            "user_id": "The id of the user; get prints one profile.",
            "experiment_bucket_map": "By the ids of experiments: variation_id, the stored variation.",
        ])

    private let action: String
    private let address: String
    private let userID: String
    /// The address of the store to copy to, and the file of users.
    private let copying: (target: String, users: String)

    package init(_ arguments: ParsedArguments) throws {
        let action = try Self.checkAction(
            arguments, among: Self.actions, "get, delete, copy, count, check or schema")
        for (option, actions) in [(Self.user, ["get", "delete"]), (Self.target, ["copy"]), (Self.users, ["copy"])] {
            let isGiven = arguments.has(option)
            guard actions.contains(action) != isGiven else { continue }
            throw isGiven ? UsageError.conflicting(action, option) : UsageError.missing(anyOf: [option])
        }
        self.action = action
        address = arguments[Self.store]
        userID = arguments.value(Self.user) ?? ""
        copying = (arguments.value(Self.target) ?? "", arguments.value(Self.users) ?? "")
    }

    package static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        let command = try ProfilesCommand(arguments)
        let (text, isGood) =
            if command.action == "check" { try await command.check() } else {
                (try command.output(), true)
            }
        try StandardStream.output.print(text + "\n", "the output")
        return isGood ? 0 : differenceExitCode
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
        switch action {
        case "schema": return try ProfileStoreKind.schema(of: address, option: Self.store)
        case "copy": return try copy()
        default: break
        }
        let isDeletion = action == "delete"
        let profiles = try ProfileStoreKind.open(address, isDeletion ? .write : .read, option: Self.store)
        if isDeletion {
            return try profiles.forget(userID) ? "The user was known, and is forgotten." : "The user was not known."
        }
        if action == "get" { return json(try profiles.store.profile(of: userID), of: userID) }
        guard let count = profiles.count else { throw CommandError("this store cannot count its users") }
        return "\(try count())"
    }

    private func json(_ profile: UserProfile, of userID: String) -> String {
        let map = profile.assignments.mapValues { JSONValue.object(["variation_id": .string($0)]) }
        return JSONValue.object(["user_id": .string(userID), "experiment_bucket_map": .object(map)]).compactText
    }

    /// The users that are looked up with one call.
    private static let batchSize = 1_000

    /// Copies the assignments of users to another store, which keeps those that it has.
    private func copy() throws -> String {
        let users = try User.all(in: copying.users).map(\.id)
        let warnings = MemoryLog(level: .warning)
        let old = try ProfileStoreKind.open(address, .read, option: Self.store, log: warnings).store
        let new = try ProfileStoreKind.open(copying.target, .create, option: Self.target, log: warnings).store
        var count = 0
        for userIDs in users.bySpelling {
            for start in stride(from: 0, to: userIDs.count, by: Self.batchSize) {
                let batch = Array(userIDs[start..<min(start + Self.batchSize, userIDs.count)])
                for (userID, profile) in try old.profiles(of: batch) where !profile.assignments.isEmpty {
                    // Just before the addition: programs may use the store meanwhile.
                    let known = try new.profile(of: userID).assignments
                    let missing = profile.assignments.filter { known[$0.key] == nil }
                    guard !missing.isEmpty else { continue }
                    try new.save(missing, for: userID)
                    count += 1
                }
                // A store that continues without one of its servers would seem not to know its users.
                if let warning = warnings.entries.first {
                    throw CommandError("the copy ended early: \(warning.message)")
                }
            }
        }
        try (new as? any EditableProfileStore)?.synchronize()
        return "Copied assignments of \(count.grouped) of \(users.count.grouped) users."
    }
}
