/// A problem in a project file: where it is, what is wrong, and what to do.
package struct Diagnostic: Error, Sendable, Equatable {
    /// How serious a problem is.
    package enum Severity: String, Sendable, Comparable {
        /// Worth knowing; nothing is wrong.
        case note
        /// Probably a mistake. The project compiles.
        case warning
        /// The project does not compile.
        case error

        package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .note: 0
            case .warning: 1
            case .error: 2
            }
        }
    }

    package var severity: Severity
    /// The name of the kind of problem, such as `unknown-key`. Scripts and settings refer to it.
    package var code: String
    /// The problem and what was expected, in one sentence without a period.
    package var message: String
    /// The remedy, as a sentence.
    package var advice: String?
    /// The place, or nil if the problem has none.
    package var position: SourcePosition?

    package init(
        _ severity: Severity, _ code: String, _ message: String, advice: String? = nil,
        at position: SourcePosition? = nil
    ) {
        self.severity = severity
        self.code = code
        self.message = message
        self.advice = advice
        self.position = position
    }

    /// The form that editors and CI systems recognize:
    /// `flags.yaml:12:5: error: unknown key "tarffic" [unknown-key]`.
    package func text(in file: String) -> String {
        let place = position.map { ":\($0.line):\($0.column)" } ?? ""
        let advice = advice.map { ($0.first?.isUppercase == true ? ". " : "; ") + $0 } ?? ""
        return "\(file)\(place): \(severity): \(message)\(advice) [\(code)]"
    }
}

/// The problems found in a project, in the order in which they are found.
package struct Diagnostics: Error, Sendable, Equatable {
    /// The most problems of a file that are listed. A file of a few megabytes can have hundreds of thousands.
    static let listedLimit = 1_000

    package var all: [Diagnostic]

    /// Creates a list of problems.
    package init(_ all: [Diagnostic] = []) { self.all = all }

    /// Whether the project cannot be compiled.
    package var hasErrors: Bool { all.contains { $0.severity == .error } }

    /// The problems by their places in the file; those without a place come last.
    var inOrder: Diagnostics {
        let places = all.enumerated().map { index, diagnostic in
            (diagnostic.position?.line ?? Int.max, diagnostic.position?.column ?? 0, index)
        }
        return Diagnostics(places.sorted(by: <).map { all[$0.2] })
    }

    package mutating func add(_ diagnostic: Diagnostic) { all.append(diagnostic) }
}

/// The kinds of problems in the text of a project file, because of which it is not read further. All of them are
/// errors.
package enum SyntaxProblem: String, Sendable, CaseIterable {
    case syntax
    case conflictMarkers = "conflict-markers"
    case unsupportedYAML = "unsupported-yaml"
    case unknownAlias = "unknown-alias"
    case recursiveAlias = "recursive-alias"
    case encoding
    case limit
    case empty
    case unreadableFile = "unreadable-file"

    /// The meaning of the code, in one sentence without a period.
    package var meaning: String {
        switch self {
        case .syntax: "The text is not YAML or JSON"
        case .conflictMarkers: "Git marked a conflict in the file, which is not resolved"
        case .unsupportedYAML: "The text uses tags, merge keys, directives or several documents"
        case .unknownAlias: "No anchor comes before the alias"
        case .recursiveAlias: "An alias is inside the value that it names"
        case .encoding: "The text is not in UTF-8"
        case .limit: "The text is too large, nested too deeply, or has too many aliases"
        case .empty: "The file is empty"
        case .unreadableFile: "The file cannot be opened or read"
        }
    }
}

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
    case unknownMetric = "unknown-metric"
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
        case .unknownMetric: "The project has no metric with this name"
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
