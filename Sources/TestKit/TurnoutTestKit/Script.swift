import Testing
public import TurnoutClient

/// The decisions that a client should make, and a datafile for them.
///
/// Each flag becomes an experiment with the key of the flag, so impressions are sent as in production, and
/// ``/TurnoutClient/FlagClient/forceVariation(_:inExperiment:forUser:)`` and forced decisions work. Flags that no line
/// names are unknown.
public struct Script: Sendable {
    /// The lines of the script. Later lines take precedence.
    public var lines: [ScriptLine]
    /// The revision of the datafile. Default: `1`.
    public var revision = "1"
    /// The id of the project. Default: `scripted`.
    public var projectID = "scripted"
    /// The region that collects the events. Default: the United States.
    public var region = Project.Region.us

    /// Creates a script.
    public init(_ lines: [ScriptLine]) { self.lines = lines }

    /// Creates a script.
    public init(_ lines: ScriptLine...) { self.init(lines) }

    /// The script as a datafile. Contradictory lines are recorded as issues of the test.
    public var datafile: [UInt8] {
        let (flags, problems) = ScriptedFlag.flags(of: lines)
        for problem in problems { Issue.record("script: \(problem)") }
        var events: [String] = []
        var attributes: [String] = []
        for line in lines {
            switch line.content {
            case .event(let key) where !events.contains(key): events.append(key)
            case .attribute(let name) where !attributes.contains(name): attributes.append(name)
            default: break
            }
        }
        var writer = ScriptWriter()
        writer.write(self, flags, events: events, attributes: attributes)
        return writer.bytes
    }
}

extension FlagClient {
    /// A client that decides as scripted, for tests of code that uses a client.
    ///
    /// ```swift
    /// @Test func theShortCheckoutHasOneStep() throws {
    ///     let sent = RecordedEvents()
    ///     let client = FlagClient.scripted(
    ///         .always("checkout", "variation_b", variables: ["steps": 1]), .off("dark_mode"), .event("purchase"),
    ///         recording: sent)
    ///
    ///     let shop = Shop(client)
    ///     #expect(shop.checkout(for: "ada").pages.count == 1)
    ///     #expect(sent.impressions.map(\.flagKey) == ["checkout"])
    ///     #expect(sent.conversions.map(\.eventKey) == ["purchase"])
    /// }
    /// ```
    ///
    /// It is a real client: unknown flags, forced decisions, listeners and profiles work as they do in production.
    ///
    /// - Parameters:
    ///   - lines: The decisions for users; later lines take precedence.
    ///   - events: Records the events, in place of the configuration's store. Default: nil.
    ///   - configuration: The configuration. Default: the standard configuration, which sends nothing.
    /// - Returns: The client.
    public static func scripted(
        _ lines: ScriptLine..., recording events: RecordedEvents? = nil,
        configuration: ClientConfiguration = ClientConfiguration()
    ) -> FlagClient {
        scripted(Script(lines), recording: events, configuration: configuration)
    }

    /// A client that decides as scripted; see ``scripted(_:recording:configuration:)-(ScriptLine...,_,_)``.
    public static func scripted(
        _ script: Script, recording events: RecordedEvents? = nil,
        configuration: ClientConfiguration = ClientConfiguration()
    ) -> FlagClient {
        var configuration = configuration
        if let events { configuration.eventStore = events }
        let client = FlagClient(configuration)
        do { try client.update(to: script.datafile) } catch { Issue.record("script: \(error)") }
        return client
    }
}

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
