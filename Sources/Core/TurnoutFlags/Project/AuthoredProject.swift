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
package struct AuthoredEnvironment: Sendable, Equatable {
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

package struct AuthoredAttribute: Sendable, Equatable {
    package var key: String
    /// The key it had before, whose id it keeps.
    package var formerKey: String?
    /// Codes of lint findings that are not reported.
    package var ignoredFindings: [IgnoredFinding] = []
    package var origin = SourceOrigin()
    /// Members that are written into the datafile's attribute as they are.
    package var verbatim: [String: JSONValue] = [:]

    package init(key: String, formerKey: String? = nil, origin: SourceOrigin = SourceOrigin()) {
        self.key = key
        self.formerKey = formerKey
        self.origin = origin
    }
}

package struct AuthoredEvent: Sendable, Equatable {
    package var key: String
    /// The key it had before, whose id it keeps.
    package var formerKey: String?
    /// Codes of lint findings that are not reported.
    package var ignoredFindings: [IgnoredFinding] = []
    package var origin = SourceOrigin()
    /// Members that are written into the datafile's event as they are.
    package var verbatim: [String: JSONValue] = [:]

    package init(key: String, formerKey: String? = nil, origin: SourceOrigin = SourceOrigin()) {
        self.key = key
        self.formerKey = formerKey
        self.origin = origin
    }
}
