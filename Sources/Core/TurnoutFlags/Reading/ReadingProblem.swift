/// The kinds of problems in a project file. All of them are errors.
package enum ReadingProblem: String, Sendable, CaseIterable {
    case unknownKey = "unknown-key"
    case duplicateKey = "duplicate-key"
    case missingKey = "missing-key"
    case conflictingKeys = "conflicting-keys"
    case wrongType = "wrong-type"
    case unknownWord = "unknown-word"
    case percentage
    case weight
    case emptyList = "empty-list"
    case emptyCondition = "empty-condition"
    case tooDeep = "too-deep"
    case unknownAttribute = "unknown-attribute"
    case unknownEvent = "unknown-event"
    case unknownAudience = "unknown-audience"
    case unknownEnvironment = "unknown-environment"
    case unknownVariable = "unknown-variable"
    case unknownVariation = "unknown-variation"
    case unknownRule = "unknown-rule"
    case duplicateRule = "duplicate-rule"
    case duplicateUser = "duplicate-user"
    case duplicateSDKKey = "duplicate-sdk-key"
    case similarEnvironments = "similar-environments"
    case ruleOrder = "rule-order"
    case groupOverlap = "group-overlap"
    case groupTraffic = "group-traffic"
    case audienceCycle = "audience-cycle"
    case formerKeyExists = "former-key-exists"
    case duplicateFormerKey = "duplicate-former-key"
    case tooMany = "too-many"

    /// The meaning of the code, in one sentence without a period.
    package var meaning: String {
        switch self {
        case .unknownKey: "The key has no meaning in this part of the file"
        case .duplicateKey: "The key occurs twice in a mapping or list; the first one is read"
        case .missingKey: "A key that is required is missing"
        case .conflictingKeys: "Two keys exclude each other"
        case .wrongType: "The value has another type than the key needs"
        case .unknownWord: "The value is not one of the words that the key accepts"
        case .percentage: "The value is not a percentage from 0% to 100% in steps of 0.01%"
        case .weight: "The weights of a split are not numbers with at most two decimals, or all of them are zero"
        case .emptyList: "The list is empty; omit the key to mean all"
        case .emptyCondition: "The condition tests nothing"
        case .tooDeep: "Conditions are nested too deeply"
        case .unknownAttribute: "The project has no attribute with this key"
        case .unknownEvent: "The project has no event with this key"
        case .unknownAudience: "The project has no audience with this key"
        case .unknownEnvironment: "The project has no environment with this key"
        case .unknownVariable: "The flag has no variable with this key"
        case .unknownVariation: "The flag, the rule or the holdout has no variation with this key"
        case .unknownRule: "The project has no such rule, or a rule of another kind"
        case .duplicateRule: "Two rules have the same key in an environment"
        case .duplicateUser: "A user occurs twice in the allow list of a rule"
        case .duplicateSDKKey: "Two environments have the same SDK key"
        case .similarEnvironments: "The keys of two environments differ only in case"
        case .ruleOrder: "An experiment comes after a delivery, but is evaluated before it"
        case .groupOverlap: "An experiment belongs to two groups"
        case .groupTraffic: "The shares of a group exceed 100% in sum"
        case .audienceCycle: "An audience refers to itself, directly or through others"
        case .formerKeyExists: "`was` names a key that another part still has"
        case .duplicateFormerKey: "Two parts have the same key in `was`"
        case .tooMany: "The file has more problems than are listed"
        }
    }
}

extension Diagnostic {
    /// The last of a list that is cut.
    static func unlisted(_ count: Int, _ severity: Severity) -> Diagnostic {
        Diagnostic(
            severity, ReadingProblem.tooMany.rawValue,
            "and \(count) more problem\(count == 1 ? "" : "s"), which \(count == 1 ? "is" : "are") not listed")
    }
}
