import TurnoutEngine

/// Reads one experiment of a configuration, and says what is wrong with it.
struct RolloutExperimentReader {
    private let name: String
    private var isUsable = true
    private(set) var warnings: [RolloutWarning] = []

    init(name: String) { self.name = name }

    /// The experiment; nil: there are no variants, so it counts as absent.
    mutating func read(_ value: JSONValue) -> RolloutConfiguration.Entry? {
        guard case .object(let members) = value else {
            refuse(nil, "expected a dictionary, found \(value.kind)")
            return .unusable
        }
        for key in members.keys.sorted() where key != "Variants" && key != "Settings" {
            refuse(key, "no such key; there are Variants and Settings")
        }
        guard let list = members["Variants"] else {
            // A misspelt key is a mistake, and mistakes forget nobody's draw.
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
        if variants.shares.isEmpty { warn("Variants", "no variant has any weight; everybody gets the default") }
        return variants
    }

    private mutating func weight(_ value: JSONValue, of key: String) -> Double {
        let weight: Double
        switch value {
        case .integer(let number): weight = Double(number)
        case .double(let number): weight = number
        case .bool(let isOn): weight = isOn ? 1 : 0
        case .string(let text): weight = Double(text.trimmingSpace) ?? .nan
        case .null, .array, .object:
            refuse(key, "expected a number, found \(value.kind)")
            return 0
        }
        guard weight.isFinite, weight >= 0 else {
            warn(key, "no weight, counts as 0")
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
        case .integer(let number): return number != 0
        case .double(let number): return number != 0
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
        return Set(text.split(separator: ",").map { $0.trimmingSpace.lowercased() })
    }

    // MARK: Warnings

    private mutating func warn(_ key: String?, _ problem: String) {
        warnings.append(RolloutWarning(experiment: name, key: key, problem: problem))
    }

    /// What cannot be understood must not decide: the experiment as a whole counts for nothing.
    private mutating func refuse(_ key: String?, _ problem: String) {
        isUsable = false
        warn(key, problem + "; everybody gets the default")
    }
}

extension JSONValue {
    /// What kind of value it is, in words.
    fileprivate var kind: String {
        switch self {
        case .null: "a value of no use here"
        case .bool: "true or false"
        case .integer, .double: "a number"
        case .string(let text): "the text \(String(text.prefix(20)).debugDescription)"
        case .array: "a list"
        case .object: "a dictionary"
        }
    }
}
