import TurnoutCommandIO
package import TurnoutEngine

/// Generated users with random attributes.
///
/// A user depends only on the seed and the user's number, so users are the same on every machine, in any order and for
/// any size of the population.
package struct Population: Sendable {
    package enum Model: Sendable {
        /// Each attribute is drawn on its own.
        case description(PopulationDescription)
        /// All attributes and segments are those of one of these users.
        case users([User])
    }

    private let model: Model
    private let seed: UInt64

    package init(_ model: Model, seed: UInt64) {
        self.model = model
        self.seed = seed
    }

    /// The user with a number, counted from 1.
    package func user(_ number: Int) -> User {
        var random = RandomNumbers(seed: seed, stream: UInt64(number))
        switch model {
        case .description(let description):
            var user = User(Self.id(number), attributes: description.attributes(using: &random))
            let segments = description.segments(using: &random)
            if !segments.isEmpty { user.segments = segments }
            return user
        case .users(let users):
            guard !users.isEmpty else { return User(Self.id(number)) }
            let like = users[random.index(below: users.count)]
            var user = User(Self.id(number), attributes: like.attributes)
            user.segments = like.segments
            return user
        }
    }

    /// The id of the user with a number.
    package static func id(_ number: Int) -> String { "user-\(number)" }

    /// The number of the user with an id, or nil for an id of another form.
    package static func number(ofID id: String) -> Int? {
        guard id.hasPrefix("user-"), let number = Int(id.dropFirst(5)), number > 0, Self.id(number) == id else {
            return nil
        }
        return number
    }
}

/// Pseudorandom numbers: SplitMix64, the generator that Java's `SplittableRandom` uses.
///
/// Steele, Lea and Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014.
struct RandomNumbers {
    private var state: UInt64

    /// The numbers of one of many independent streams.
    init(seed: UInt64, stream: UInt64) {
        state = Self.mixed(Self.mixed(seed &+ Self.gamma) &+ stream &* Self.gamma)
    }

    private static let gamma: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static func mixed(_ value: UInt64) -> UInt64 {
        var value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    /// The next 64 bits.
    mutating func next() -> UInt64 {
        state &+= Self.gamma
        return Self.mixed(state)
    }

    /// A number from 0 to below 1.
    mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// An integer from 0 to below `bound`.
    mutating func index(below bound: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
    }
}

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
