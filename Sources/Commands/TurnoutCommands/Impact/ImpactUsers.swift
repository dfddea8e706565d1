import TurnoutCommandIO
import TurnoutEngine

/// The users of a comparison.
enum ImpactUsers: Sendable {
    /// A file with one user per line.
    case file(String)
    /// So many users of a generated population.
    case generated(Population, count: Int)

    /// The users that a command line describes, and the description in words. Without one, they have the attributes
    /// that the projects' audiences test.
    static func described(
        by arguments: ParsedArguments, for projects: ProjectPair
    ) throws -> (users: ImpactUsers, words: String) {
        if let file = arguments.value("--users") {
            return (.file(file), "users in " + (file == "-" ? "standard input" : file))
        }
        let count = try arguments.integer("--population", in: 1...1_000_000_000) ?? 0
        let seed = try arguments.integer("--seed", in: 0...Int.max) ?? 0
        let (model, words) = try model(arguments, projects)
        return (
            .generated(Population(model, seed: UInt64(seed)), count: count), "generated users \(words), seed \(seed)"
        )
    }

    private static func model(
        _ arguments: ParsedArguments, _ projects: ProjectPair
    ) throws -> (Population.Model, words: String) {
        if let file = arguments.value("--like") { return (.users(try users(in: file)), "like those in \(file)") }
        guard let file = arguments.value("--attributes") else {
            let description = PopulationDescription(audiencesOf: [projects.old, projects.new])
            guard !description.isEmpty else { return (.description(description), "without attributes") }
            let words = "with values that audiences test, not distributed like your users"
            return (.description(description), words)
        }
        let advice = "\"turnout impact --help\" shows an example."
        let input = try InputFile(file)
        let name = input.name
        let document: JSONValue
        let bytes = try input.readAll()
        do throws(JSONError) { document = try JSONValue(parsing: bytes) } catch {
            throw CommandError(error, in: name, advice: advice)
        }
        do throws(PopulationDescription.Problem) {
            return (.description(try PopulationDescription(document)), "with the attributes in \(name)")
        } catch {
            throw CommandError("\(name): \(error.message)", advice: advice)
        }
    }

    /// The users to draw attributes from.
    private static func users(in name: String) throws(CommandError) -> [User] {
        let users = try User.all(in: name)
        guard !users.isEmpty else {
            throw CommandError("\(name): there are no users", advice: "Use another file, or leave --like out.")
        }
        return users.map { user in
            var user = user
            // Users with one bucketing id would all be in the same buckets.
            user.attributes["$opt_bucketing_id"] = nil
            return user
        }
    }

    /// The user with an id.
    func user(_ id: String) throws(CommandError) -> User {
        switch self {
        case .file(let name): return try User.first(id, in: name)
        case .generated(let population, let count):
            guard let number = Population.number(ofID: id), number <= count else {
                throw CommandError(
                    "there is no user \"\(id)\" among the generated ones",
                    advice: "They are \(Population.id(1)) to \(Population.id(count)). For others, add --users FILE.")
            }
            return population.user(number)
        }
    }
}
