/// The kinds of problems that only the compiler finds, because they concern the lock, the datafiles, or all parts
/// together. All of them are errors.
package enum CompilingProblem: String, Sendable, CaseIterable {
    case unknownFormerKey = "unknown-former-key"
    case retiredFormerKey = "retired-former-key"
    case duplicateFormerKey = "duplicate-former-key"
    case unknownAttribute = "unknown-attribute"
    case unknownEvent = "unknown-event"
    case unknownAudience = "unknown-audience"
    case unknownVariable = "unknown-variable"
    case unknownVariation = "unknown-variation"
    case unknownRule = "unknown-rule"
    case variableType = "variable-type"
    case groupOverlap = "group-overlap"
    case groupTraffic = "group-traffic"
    case audienceCycle = "audience-cycle"
    case conditionDepth = "condition-depth"
    case conditionSize = "condition-size"
    case idCollision = "id-collision"
    case otherProject = "other-project"
    case invalidDatafile = "invalid-datafile"
    case lockSameID = "lock-same-id"
    case lockTwoAllocations = "lock-two-allocations"

    /// The meaning of the code, in one sentence without a period. Codes that the reader has as well mean the same.
    package var meaning: String {
        switch self {
        case .unknownFormerKey: "`was` names a key that the lock does not have"
        case .retiredFormerKey: "`was` names a key that was deleted, whose id is never used again"
        case .duplicateFormerKey: "Two parts have the same key in `was`"
        case .unknownAttribute: "The project has no attribute with this key"
        case .unknownEvent: "The project has no event with this key"
        case .unknownAudience: "The project has no audience with this key"
        case .unknownVariable: "The flag has no variable with this key"
        case .unknownVariation: "The flag, the rule or the holdout has no variation with this key"
        case .unknownRule: "The project has no such rule, or a rule of another kind"
        case .variableType: "A variable has another type than in the lock, so programs get their own default"
        case .groupOverlap: "An experiment belongs to two groups"
        case .groupTraffic: "The shares of a group exceed 100% in sum"
        case .audienceCycle: "An audience refers to itself, directly or through others"
        case .conditionDepth: "A condition is nested deeper than 100 levels, with the audiences that it names"
        case .conditionSize: "A condition has more than 10,000 parts, with the audiences that it names"
        case .idCollision:
            "The same id is derived from two keys. Rename one, or write the line that the error shows into the lock"
        case .otherProject: "The lock belongs to another project"
        case .invalidDatafile:
            "Clients could not read the datafile because of a `datafile` member: it is not valid, or names a rule that "
                + "does not exist"
        case .lockSameID: "Two keys of the lock have the same id, and the project has both keys"
        case .lockTwoAllocations:
            "Two merged branches have different traffic for a rule, and the project agrees with neither"
        }
    }

    /// Whether the problem is certain even if other parts of the file could not be read.
    var isCertainInPart: Bool {
        switch self {
        case .conditionDepth, .conditionSize, .idCollision, .otherProject: true
        default: false
        }
    }
}
