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
