/// What is measured, by the name that the command line and the recorded counts use.
enum Work: String, CaseIterable, Codable, Sendable {
    case decide
    case newUser = "new-user"
    case reasons
    case trace
    case decideAll = "decide-all"
    case load
    case impression
    case coldLoad = "cold-load"
    case twoThreads = "two-threads"
    case startCommand = "start-command"
    case commandUsers = "command-users"

    /// The work in words, as reports name it.
    var title: String {
        switch self {
        case .decide: "decide one flag, existing user with 5 attributes"
        case .newUser: "new user with 5 attributes, and decide one flag"
        case .reasons: "decide one flag with reasons"
        case .trace: "decide one flag with trace"
        case .decideAll: "decide all flags"
        case .load: "load, warm"
        case .impression: "build and serialise one impression with 5 attributes"
        case .coldLoad: "load, first in a fresh process"
        case .twoThreads: "decide on two threads"
        case .startCommand: "`turnout decide`, process start to end of the first decision"
        case .commandUsers: "`turnout decide --users`, 10 flags"
        }
    }

    /// The kinds of work that consist of one operation, repeated.
    static let repeatable: [Work] = [.decide, .newUser, .reasons, .trace, .decideAll, .load, .impression]

    /// How often an operation is repeated to count what it allocates: every flag for every user at least once.
    var countedTimes: Int {
        switch self {
        case .load: 3
        case .decideAll: 64
        default: 64_000
        }
    }

    /// The work as a function that repeats it on a datafile, or nil: it is not an operation that can be repeated.
    func repeated(on subject: Subject) -> ((Int) -> Void)? {
        switch self {
        case .decide: subject.decide
        case .newUser: subject.decideForNewUsers
        case .reasons: subject.decideWithReasons
        case .trace: subject.decideWithTrace
        case .decideAll: subject.decideAll
        case .load: subject.load
        case .impression: subject.impressions()
        case .coldLoad, .twoThreads, .startCommand, .commandUsers: nil
        }
    }
}
