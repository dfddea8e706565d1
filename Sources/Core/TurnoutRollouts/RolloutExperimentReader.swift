import TurnoutEngine

/// Reads one experiment of a configuration, and collects warnings.
struct RolloutExperimentReader {
    private let name: String
    private var isUsable = true
    private(set) var warnings: [RolloutWarning] = []

    init(name: String) { self.name = name }

    /// The experiment, or nil if there are no variants, so it counts as absent.
    mutating func read(_ value: JSONValue) -> RolloutConfiguration.Entry? {
        guard case .object(let members) = value else {
            refuse(nil, "expected a dictionary, found \(value.kind)")
            return .unusable
        }
        for key in members.keys.sorted() where key != "Variants" && key != "Settings" {
            refuse(key, "no such key; the keys are Variants and Settings")
        }
        guard let list = members["Variants"] else {
            // After a misspelled key the experiment is invalid, not absent, so draws are kept.
            guard isUsable else { return .unusable }
            refuse("Variants", "missing")
            return nil
        }
        var experiment = RolloutExperiment(variants: variants(list))
        if let settings = members["Settings"] { read(settings, into: &experiment) }
        return isUsable ? .usable(experiment) : .unusable
    }

    // MARK: Variants

    private mutating func variants(_ value: JSONValue) -> RolloutVariants {
        guard case .object(let members) = value else {
            refuse("Variants", "expected a dictionary of weights, found \(value.kind)")
            return RolloutVariants(weights: [:])
        }
        var weights: [String: Double] = [:]
        for (variant, value) in members.sorted(by: { $0.key < $1.key }) {
            weights[variant] = weight(value, of: "Variants.\(variant)")
        }
        let variants = RolloutVariants(weights: weights)
        if variants.shares.isEmpty { warn("Variants", "no variant has any weight; all users get the default") }
        return variants
    }

    private mutating func weight(_ value: JSONValue, of key: String) -> Double {
        let weight: Double
        switch value {
        case .integer, .unsigned, .double: weight = value.number ?? .nan
        case .bool(let isOn): weight = isOn ? 1 : 0
        case .string(let text): weight = Double(text.trimmingSpace) ?? .nan
        case .null, .array, .object:
            refuse(key, "expected a number, found \(value.kind)")
            return 0
        }
        guard weight.isFinite, weight >= 0 else {
            warn(key, "expected a finite number of 0 or more; counts as 0")
            return 0
        }
        return weight
    }

    // MARK: Settings

    private mutating func read(_ settings: JSONValue, into experiment: inout RolloutExperiment) {
        guard case .object(let members) = settings else {
            return refuse("Settings", "expected a dictionary, found \(settings.kind)")
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let key = "Settings.\(name)"
            switch name {
            case "is_sticky": experiment.isSticky = isOn(value, key)
            case "supported_countries": experiment.countries = list(value, key)
            case "supported_languages": experiment.languages = list(value, key)
            default: refuse(key, "no such setting; there are is_sticky, supported_countries, supported_languages")
            }
        }
    }

    private mutating func isOn(_ value: JSONValue, _ key: String) -> Bool {
        switch value {
        case .bool(let isOn): return isOn
        case .integer, .unsigned, .double: return value.number != 0
        case .string(let text) where ["yes", "y", "true", "t", "1"].contains(text.trimmingSpace.lowercased()):
            return true
        case .string(let text) where ["no", "n", "false", "f", "0"].contains(text.trimmingSpace.lowercased()):
            return false
        default:
            refuse(key, "expected true or false, found \(value.kind)")
            return false
        }
    }

    private mutating func list(_ value: JSONValue, _ key: String) -> Set<String>? {
        guard case .string(let text) = value else {
            refuse(key, "expected a text such as \"US,IL\", found \(value.kind)")
            return nil
        }
        return Set(text.unicodeScalars.split(separator: ",").map { Substring($0).trimmingSpace.lowercased() })
    }

    // MARK: Warnings

    private mutating func warn(_ key: String?, _ problem: String) {
        warnings.append(RolloutWarning(experiment: name, key: key, problem: problem))
    }

    /// Adds a warning, and makes the experiment as a whole unusable.
    private mutating func refuse(_ key: String?, _ problem: String) {
        isUsable = false
        warn(key, problem + "; all users get the default")
    }
}

extension JSONValue {
    /// The kind of the value, for warnings.
    fileprivate var kind: String {
        switch self {
        case .null: "null, a date or data"
        case .bool: "true or false"
        case .integer, .unsigned, .double: "a number"
        case .string(let text): "the text \(String(text.prefix(20)).debugDescription)"
        case .array: "a list"
        case .object: "a dictionary"
        }
    }
}

extension StringProtocol {
    /// The text without the spaces and line breaks around it.
    var trimmingSpace: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
