package import TurnoutEngine

/// A project as a team writes it: flags, rules and audiences by name, for all environments.
///
/// ``ProjectCompiler`` turns it into one datafile for each environment. Names are keys; ids are in the ``LockFile``.
package struct AuthoredProject: Sendable, Equatable {
    package var key: String
    /// The settings that every datafile carries.
    package var settings = ProjectSettings()
    /// The environments, in the order of the file; at least one.
    package var environments: [AuthoredEnvironment] = []
    /// The attributes that audiences, events and bandits use.
    package var attributes: [AuthoredAttribute] = []
    package var events: [AuthoredEvent] = []
    /// The metrics that rules refer to by name. Datafiles do not contain them.
    package var metrics: [AuthoredMetric] = []
    /// The named sets of users.
    package var audiences: [AuthoredAudience] = []
    /// The flags, in the order of the file. Datafiles list them by key.
    package var flags: [AuthoredFlag] = []
    /// Experiments without a flag, as older programs activate them.
    package var experiments: [AuthoredExperiment] = []
    package var groups: [AuthoredGroup] = []
    package var holdouts: [AuthoredHoldout] = []
    /// The configurations for RolloutManager, which `turnout serve` delivers. Datafiles do not contain them.
    package var configurations: [AuthoredConfiguration] = []
    /// Codes of lint findings that are not reported for the whole project.
    package var ignoredFindings: [IgnoredFinding] = []
    /// Members that are written into every datafile as they are, in place of the compiled ones.
    package var verbatim: [String: JSONValue] = [:]

    /// Where its key is written.
    package var origin = SourceOrigin()

    package init(key: String) { self.key = key }
}

/// A part of a project with a key, perhaps another one than before.
protocol RenamablePart: Equatable {
    var key: String { get }
    /// The key it had before, whose ids it keeps.
    var formerKey: String? { get }
    var origin: SourceOrigin { get }
}

/// A part with the members that parts of most kinds can have.
protocol AuthoredPart: RenamablePart {
    var formerKey: String? { get set }
    /// Codes of lint findings that are not reported.
    var ignoredFindings: [IgnoredFinding] { get set }
    /// Members that are written into the datafile's part as they are.
    var verbatim: [String: JSONValue] { get set }
}

/// The settings of a project that every datafile carries.
package struct ProjectSettings: Sendable, Equatable {
    /// The id of the account that events are reported for. Default: `"0"`.
    package var account = "0"
    /// Where events are collected. Default: the United States, which the datafile does not mention.
    package var region: Project.Region?
    /// Whether receivers are asked not to store IP addresses. Default: `true`.
    package var anonymizesIP = true
    /// Whether receivers are asked to filter bots; nil leaves it to the receiver. Default: nil.
    package var filtersBots: Bool?
    /// Whether decisions by deliveries, or by no rule, are sent as impressions too. Default: `true`.
    package var sendsFlagDecisions = true
    /// Where segments of users are looked up; nil without segments.
    package var segments: SegmentService?

    package init() {}
}

/// The service that returns the segments of a user.
package struct SegmentService: Sendable, Equatable {
    /// The address; nil for that of the server that serves the project.
    package var host: String?
    package var publicKey: String?
    /// The segments that `turnout serve` knows by itself. Datafiles do not contain them. Default: none.
    package var defined: [AuthoredSegment] = []

    /// Creates a service that defines no segments.
    package init(host: String?, publicKey: String?) {
        self.host = host
        self.publicKey = publicKey
    }
}

/// An environment, such as production: a datafile of its own.
package struct AuthoredEnvironment: RenamablePart, Sendable {
    package var key: String
    /// The key it had before, whose rules keep their ids.
    package var formerKey: String?
    /// The SDK keys of programs in this environment. The datafile names the first.
    package var sdkKeys: [String]
    package var origin = SourceOrigin()

    package init(key: String, sdkKeys: [String] = [], origin: SourceOrigin = SourceOrigin()) {
        self.key = key
        self.sdkKeys = sdkKeys
        self.origin = origin
    }
}

/// An attribute or an event, which other parts name by its key.
package struct AuthoredName: AuthoredPart, Sendable {
    package var key: String
    /// The key it had before, whose id it keeps.
    package var formerKey: String?
    /// Codes of lint findings that are not reported.
    package var ignoredFindings: [IgnoredFinding] = []
    package var origin = SourceOrigin()
    /// Members that are written into the datafile's attribute or event as they are.
    package var verbatim: [String: JSONValue] = [:]

    package init(key: String, formerKey: String? = nil, origin: SourceOrigin = SourceOrigin()) {
        self.key = key
        self.formerKey = formerKey
        self.origin = origin
    }
}

package typealias AuthoredAttribute = AuthoredName
package typealias AuthoredEvent = AuthoredName

/// A segment that this project defines itself, for `turnout serve`. Datafiles do not contain it.
package struct AuthoredSegment: Sendable, Equatable {
    /// The name that conditions of audiences use.
    package var key: String
    /// The ids of users in it.
    package var members: [String]
    /// A rule that puts further users in it; nil for none.
    package var rule: SegmentRule?

    package init(key: String, members: [String] = [], rule: SegmentRule? = nil) {
        self.key = key
        self.members = members
        self.rule = rule
    }
}

/// Puts users in a segment for the events that a server has received from them.
package struct SegmentRule: Sendable, Equatable {
    /// The key of the event. Events of the data platform have the key `TYPE/ACTION`.
    package var event: String
    /// The days in which events count, up to now; nil for all events that the server keeps. Default: nil.
    package var days: Int?
    /// The least number of events. Default: 1.
    package var times: Int
    /// The least sum of the events' revenue, in the smallest unit of the currency; nil if it does not matter. Default:
    /// nil.
    package var revenue: Int?

    package init(event: String, days: Int? = nil, times: Int = 1, revenue: Int? = nil) {
        self.event = event
        self.days = days
        self.times = times
        self.revenue = revenue
    }
}

/// A configuration for RolloutManager, which `turnout serve` delivers as a property list. Datafiles do not contain it.
package struct AuthoredConfiguration: Sendable, Equatable {
    /// The experiments of a configuration, for programs of one version.
    package struct Version: Sendable, Equatable {
        package var key: String
        /// All experiments of these programs.
        package var experiments: [Experiment]

        package init(key: String, experiments: [Experiment]) { (self.key, self.experiments) = (key, experiments) }
    }

    package struct Experiment: Sendable, Equatable {
        package var key: String
        /// Whether users keep their variants when the weights change. Default: false.
        package var isSticky = false
        /// The codes of the countries whose users take part. Default: empty, all countries.
        package var countries: [String] = []
        /// The codes of the languages whose users take part. Default: empty, all languages.
        package var languages: [String] = []
        /// The variants, and their weights in hundredths.
        package var variants: [(key: String, weight: Int)]

        /// Creates an experiment for all users.
        package init(key: String, variants: [(key: String, weight: Int)]) {
            (self.key, self.variants) = (key, variants)
        }

        package static func == (left: Experiment, right: Experiment) -> Bool {
            left.key == right.key && left.isSticky == right.isSticky && left.countries == right.countries
                && left.languages == right.languages && left.variants.elementsEqual(right.variants, by: ==)
        }
    }

    package var key: String
    /// The experiments of programs whose version is not named.
    package var experiments: [Experiment]
    /// The experiments of programs of a version, instead of the others. Default: none.
    package var versions: [Version] = []

    /// Creates a configuration for programs of any version.
    package init(key: String, experiments: [Experiment]) { (self.key, self.experiments) = (key, experiments) }

    /// Whether a text can be a name or a version, which are parts of addresses and names of files: 1 to 100 letters and
    /// digits of ASCII, `.`, `_` and `-`, of which `.` is not the first.
    package static func isValid(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || [0x2D, 0x2E, 0x5F].contains(byte)
            }
    }
}

/// The code of a lint finding that is not reported, and where it is written.
package struct IgnoredFinding: Sendable, Equatable, ExpressibleByStringLiteral {
    package var code: String
    package var origin = SourceOrigin()

    package init(_ code: String, origin: SourceOrigin = SourceOrigin()) {
        self.code = code
        self.origin = origin
    }

    /// Creates the code of a literal.
    package init(stringLiteral code: String) { self.init(code) }
}

extension [IgnoredFinding] {
    /// Whether findings with a code are not reported.
    func contains(_ code: String) -> Bool { contains { $0.code == code } }
}
