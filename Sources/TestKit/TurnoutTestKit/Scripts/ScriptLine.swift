public import TurnoutClient

/// One line of a script: a decision for all users or one user.
///
/// ```swift
/// .always("checkout", "variation_b", variables: ["steps": 1])   // all users
/// .off("dark_mode")                                              // all users, switched off
/// .split("search", between: "by_sales", "by_rating")             // by the user's bucket, in equal parts
/// .when("ada", "checkout", "control")                            // one user, takes precedence
/// .event("purchase")                                             // an event that can be tracked
/// ```
public struct ScriptLine: Sendable {
    enum Content: Sendable {
        case variation(Variation)
        case split(flag: String, variations: [String])
        case defaults(flag: String, variables: [String: AttributeValue])
        case event(String)
        case attribute(String)
    }

    struct Variation: Sendable {
        /// The user; nil for all users.
        var user: String?
        let flag: String
        let key: String
        let isEnabled: Bool
        let variables: [String: AttributeValue]
    }

    let content: Content

    /// All users get a variation in which the flag is on.
    ///
    /// - Parameters:
    ///   - flagKey: The key of the flag.
    ///   - variationKey: The key of the variation.
    ///   - variables: Values of the flag's variables. The literal determines the type: `1` is an integer, `1.0` a
    ///     double, `true` a Boolean, `"a"` a string, `["a": 1]` a JSON object.
    /// - Returns: The line.
    public static func always(
        _ flagKey: String, _ variationKey: String, variables: [String: AttributeValue] = [:]
    ) -> ScriptLine {
        ScriptLine(
            content: .variation(
                Variation(flag: flagKey, key: variationKey, isEnabled: true, variables: variables)))
    }

    /// All users get the variation `off`, with the flag off and the variables at their defaults.
    public static func off(_ flagKey: String, variables: [String: AttributeValue] = [:]) -> ScriptLine {
        ScriptLine(
            content: .variation(Variation(flag: flagKey, key: "off", isEnabled: false, variables: variables)))
    }

    /// Users are bucketed into variations in equal parts; the flag is on.
    public static func split(_ flagKey: String, between variationKeys: String...) -> ScriptLine {
        ScriptLine(content: .split(flag: flagKey, variations: variationKeys))
    }

    /// One user gets a variation, whatever other users get.
    ///
    /// - Parameters:
    ///   - userID: The user's id.
    ///   - flagKey: The key of the flag.
    ///   - variationKey: The key of the variation.
    ///   - isEnabled: Whether the flag is on for the user. Default: `true`.
    ///   - variables: Values of the flag's variables.
    /// - Returns: The line.
    public static func when(
        _ userID: String, _ flagKey: String, _ variationKey: String, isEnabled: Bool = true,
        variables: [String: AttributeValue] = [:]
    ) -> ScriptLine {
        ScriptLine(
            content: .variation(
                Variation(
                    user: userID, flag: flagKey, key: variationKey, isEnabled: isEnabled, variables: variables)))
    }

    /// Default values of a flag's variables. Without this line they are `""`, `0`, `false` and `{}`.
    public static func defaults(_ flagKey: String, _ variables: [String: AttributeValue]) -> ScriptLine {
        ScriptLine(content: .defaults(flag: flagKey, variables: variables))
    }

    /// An event that can be tracked.
    public static func event(_ eventKey: String) -> ScriptLine { ScriptLine(content: .event(eventKey)) }

    /// An attribute that impressions and conversions contain; attributes without a line are omitted.
    public static func attribute(_ name: String) -> ScriptLine { ScriptLine(content: .attribute(name)) }
}
