import TurnoutClient
import TurnoutSQLite

/// The measured works, by the names used on the command line and in recorded counts.
enum Work: String, CaseIterable, Codable, Sendable {
    case decide
    case newUser = "new-user"
    case reasons
    case trace
    case decideAll = "decide-all"
    case load
    case impression
    case coldLoad = "cold-load"
    case clientDecide = "client-decide"
    case clientNewUser = "client-new-user"
    case clientProfiles = "client-profiles"
    case clientDurableProfiles = "client-durable-profiles"
    case clientEvent = "client-event"
    case clientValue = "client-value"
    case clientTyped = "client-typed"
    case clientStatus = "client-status"
    case clientMetrics = "client-metrics"
    case durableEvent = "durable-event"
    case awaitedEvent = "awaited-event"
    case batches
    case acceptedEvents = "accepted-events"
    case awaitedEvents = "awaited-events"
    case awaitedByTask = "awaited-by-task"
    case awaitedByTasks = "awaited-by-tasks"
    case awaitedBatches = "awaited-batches"
    case waitingEvents = "waiting-events"
    case startWithNetwork = "start-with-network"
    case facadeDecide = "facade-decide"
    case facadeNewUser = "facade-new-user"
    case facadeDecideAll = "facade-decide-all"
    case facadeContext = "facade-context"
    case facadeOwnProfiles = "facade-own-profiles"
    case facadeDefaultProfiles = "facade-default-profiles"
    case facadeEvent = "facade-event"
    case facadeSize = "facade-size"
    case startCommand = "start-command"
    case commandUsers = "command-users"
    case commandImpact = "command-impact"
    case redisRound = "redis-round"
    case redisDecisions = "redis-decisions"
    case redisUser = "redis-user"
    case memcachedRound = "memcached-round"
    case memcachedDecisions = "memcached-decisions"
    case cachedStore = "cached-store"
    case cachedStoreWaiting = "cached-store-waiting"

    /// The description in reports.
    var title: String {
        switch self {
        case .decide: "decide one flag, existing user with 5 attributes"
        case .newUser: "new user with 5 attributes, and decide one flag"
        case .reasons: "decide one flag with reasons"
        case .trace: "decide one flag with trace"
        case .decideAll: "decide all flags"
        case .load: "load, warm"
        case .impression: "build and serialize one impression with 5 attributes"
        case .coldLoad: "load, first in a fresh process"
        case .clientDecide: "`TurnoutClient`: decide one flag, existing user with 5 attributes"
        case .clientNewUser: "`TurnoutClient`: new user with 5 attributes, and decide one flag"
        case .clientProfiles: "`TurnoutClient`: decide one flag of a known user, profile store in memory"
        case .clientDurableProfiles: "`TurnoutClient`: decide one flag of a known user, profile store in SQLite"
        case .clientEvent: "`TurnoutClient`: decide one flag, its event accepted into memory"
        case .clientValue: "`TurnoutClient`: `value(_:_:default:)`, beside deciding"
        case .clientTyped: "`TurnoutClient`: a variable of a generated flag, beside deciding"
        case .clientStatus: "`TurnoutClient`: `status`"
        case .clientMetrics: "`TurnoutClient`: `metrics.prometheus()` with counted decisions"
        case .durableEvent: "`TurnoutClient`: decide one flag, its event accepted into SQLite"
        case .awaitedEvent: "`TurnoutClient`: decide one flag, its event in the SQLite file before it returns"
        case .batches: "encode an impression with 5 attributes, and join it to a payload of 10"
        case .acceptedEvents: "events accepted into SQLite by one thread, until all are in the file"
        case .awaitedByTask: "events accepted into SQLite by one task, which waits until each is in the file"
        case .awaitedByTasks: "events accepted into SQLite by 1,000 tasks, each waits until its own is in the file"
        case .awaitedEvents: "events accepted into SQLite by 128 threads, each waits until its own is in the file"
        case .awaitedBatches: "the same, each waits for the impressions of 10 flags that were decided together"
        case .waitingEvents: "an event in SQLite while 10,000 wait, to the same while 10 wait"
        case .startWithNetwork: "process with libcurl and SQLite, start to end of the first decision"
        case .facadeDecide: "`Optimizely`: decide one flag, existing context with 5 attributes"
        case .facadeNewUser: "`Optimizely`: createUserContext with 5 attributes, and decide one flag"
        case .facadeDecideAll: "`Optimizely`: decideAll"
        case .facadeContext: "`Optimizely`: createUserContext with 5 attributes"
        case .facadeOwnProfiles: "`Optimizely`: decide one flag of a known user, own profile service in memory"
        case .facadeDefaultProfiles: "`Optimizely`: decide one flag of a known user, default profile service"
        case .facadeEvent: "`Optimizely`: decide one flag, its event accepted into memory"
        case .facadeSize: "`Optimizely`: program that decides one flag, without symbols"
        case .startCommand: "`turnout decide`, process start to end of the first decision"
        case .commandUsers: "`turnout decide --users`, 10 flags"
        case .commandImpact: "`turnout impact`, 20 flags, generated users"
        case .redisRound: "Redis: look a new user up, and add an assignment"
        case .redisDecisions: "Redis: decide for users who come back, looked up 1,000 at once, two threads"
        case .redisUser: "Redis: a user with one experiment, of a million"
        case .memcachedRound: "memcached: look a new user up, and add an assignment"
        case .memcachedDecisions: "memcached: decide for users who come back, looked up 1,000 at once, two threads"
        case .cachedStore: "`TurnoutClient`: decide one flag of a user in the cache, beside no store"
        case .cachedStoreWaiting: "`TurnoutClient`: the same with `decide(_:within:)`"
        }
    }

    /// The works that repeat one operation.
    static let repeatable: [Work] = [
        .decide, .newUser, .reasons, .trace, .decideAll, .load, .impression, .batches, .clientDecide, .clientNewUser,
        .clientProfiles, .clientEvent, .clientValue, .clientTyped, .clientStatus, .clientMetrics, .facadeDecide,
        .facadeNewUser, .facadeDecideAll, .facadeContext, .facadeOwnProfiles, .facadeDefaultProfiles, .facadeEvent,
    ]

    /// The repetitions for counting allocations: every flag for every user at least once.
    var countedTimes: Int {
        switch self {
        case .load: 3
        case .decideAll, .facadeDecideAll, .clientMetrics: 64
        default: 64_000
        }
    }

    /// The most operations of a run on several threads, which share a store.
    var maximumTimes: Int {
        switch self {
        case .durableEvent, .facadeEvent: 64_000
        case .awaitedEvent: 1_024
        default: 1_000_000
        }
    }

    /// A function that repeats the work on a datafile, or nil if it is not repeatable.
    func repeated(on subject: Subject) -> ((Int) -> Void)? {
        self == .facadeEvent ? subject.facadeDecideWithEvents() : workers(on: subject)?(subject)
    }

    /// A function that makes workers for threads, or nil if the work is not repeatable.
    func workers(on subject: Subject) -> Workers? {
        switch self {
        case .decide: { subject in { subject.decide($0) } }
        case .newUser: { subject in { subject.decideForNewUsers($0) } }
        case .reasons: { subject in { subject.decideWithReasons($0) } }
        case .trace: { subject in { subject.decideWithTrace($0) } }
        case .decideAll: { subject in { subject.decideAll($0) } }
        case .load: { subject in { subject.load($0) } }
        case .impression: subject.impressions()
        case .batches: subject.batches()
        case .clientDecide: subject.clientDecide()
        case .clientNewUser: subject.clientDecideForNewUsers()
        case .clientProfiles: subject.clientDecide(with: .memory)
        case .clientDurableProfiles: subject.clientDecideWithDurableProfiles()
        case .clientEvent: subject.clientDecideWithEvents()
        case .durableEvent: DurableEvents.workers(on: subject, .soon(within: .milliseconds(10)))
        case .awaitedEvent: DurableEvents.workers(on: subject, .beforeReturning)
        case .clientValue: TypedAccess(subject)?.workers { access in { access.value($0) } }
        case .clientTyped: TypedAccess(subject)?.workers { access in { access.generated($0) } }
        case .clientStatus: subject.clientStatus()
        case .clientMetrics: subject.clientMetrics()
        case .facadeDecide: subject.facadeDecide()
        case .facadeNewUser: subject.facadeDecideForNewUsers()
        case .facadeDecideAll: subject.facadeDecideAll()
        case .facadeContext: subject.facadeContext()
        case .facadeOwnProfiles: subject.facadeDecideWithOwnProfiles()
        case .facadeDefaultProfiles: subject.facadeDecideWithDefaultProfiles()
        case .facadeEvent: subject.facadeEventWorkers()
        default: nil
        }
    }
}
