package import Dispatch
package import TurnoutClient

// @unchecked Sendable because all state of its own is behind a lock, and its managers may be called on any thread.
/// What a client knows of the data platform: segments of users, and events for it.
///
/// A client makes its own. Make one to bring your own segment manager or event manager.
public class OdpManager: @unchecked Sendable {
    /// What a datafile says about the platform; always of one datafile.
    package struct Config: Sendable, Equatable {
        /// Where events go, and who knows segments.
        package var destination = SegmentEventDestination.unknown
        /// The segments that audiences ask for.
        package var segments: Set<String> = []
    }

    private struct State {
        var vuid: String?
        var services: OdpServices
        var config = Config()
        var candidates: [String] = []
    }

    /// Whether the platform is used at all.
    package let enabled: Bool
    /// Fetches segments; nil: the platform is not used.
    package let segmentManager: OdpSegmentManager?
    /// Hands in events; nil: the platform is not used.
    package let eventManager: OdpEventManager?
    private let state: Locked<State>

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - sdkKey: The key of the client's datafile.
    ///   - disable: Whether the platform is not used at all.
    ///   - vuid: The id of this device, added to events. Default: none.
    ///   - cacheSize: How many users' segments are kept; zero or less: none.
    ///   - cacheTimeoutInSecs: How long segments are good, in seconds; zero or less: for ever.
    ///   - timeoutForSegmentFetchInSecs: The longest time a fetch may take, in seconds. Default: 10.
    ///   - timeoutForEventDispatchInSecs: The longest time a request with events may take, in seconds. Default: 10.
    ///   - segmentManager: Fetches segments. Default: the standard implementation.
    ///   - eventManager: Hands in events. Default: the standard implementation.
    public convenience init(
        sdkKey: String, disable: Bool, vuid: String? = nil, cacheSize: Int, cacheTimeoutInSecs: Int,
        timeoutForSegmentFetchInSecs: Int? = nil, timeoutForEventDispatchInSecs: Int? = nil,
        segmentManager: OdpSegmentManager? = nil, eventManager: OdpEventManager? = nil
    ) {
        self.init(
            enabled: !disable, vuid: vuid,
            segmentManager: segmentManager
                ?? OdpSegmentManager(
                    cacheSize: cacheSize, cacheTimeoutInSecs: cacheTimeoutInSecs,
                    resourceTimeoutInSecs: timeoutForSegmentFetchInSecs),
            eventManager: eventManager
                ?? OdpEventManager(sdkKey: sdkKey, resourceTimeoutInSecs: timeoutForEventDispatchInSecs),
            services: OdpServices())
    }

    /// Creates a manager that is ready to send.
    ///
    /// If `vuid` is not nil, the platform is told at once that this device is there.
    package init(
        enabled: Bool, vuid: String?, segmentManager: OdpSegmentManager, eventManager: OdpEventManager,
        services: OdpServices
    ) {
        self.enabled = enabled
        self.segmentManager = enabled ? segmentManager : nil
        self.eventManager = enabled ? eventManager : nil
        state = Locked(State(services: services))
        self.segmentManager?.connect(services)
        self.eventManager?.connect(services)
        self.vuid = vuid
    }

    /// What requests are sent with. A client sets it before anything else, also on a manager that it was given.
    package var services: OdpServices {
        get { state.withLock { $0.services } }
        set {
            state.withLock { $0.services = newValue }
            segmentManager?.connect(newValue)
            eventManager?.connect(newValue)
        }
    }

    /// The id of this device; nil: events do not tell it. The platform is told of each new one.
    package var vuid: String? {
        get { state.withLock { $0.vuid } }
        set {
            let isNew = state.withLock { state in
                defer { state.vuid = newValue }
                return state.vuid != newValue
            }
            guard isNew, let newValue else { return }
            try? sendEvent(type: nil, action: "client_initialized", identifiers: ["vuid": newValue], data: [:])
        }
    }

    /// What the datafile says about the platform.
    package var odpConfig: Config { state.withLock { $0.config } }

    /// Goes by another datafile from now on; nil: there is none.
    ///
    /// Events from before go where they belong. Segments are forgotten if anything changed that they depend on.
    package func update(project: Project?) {
        let candidates = project?.qualifiedSegments ?? []
        let config = Config(destination: SegmentEventDestination(of: project), segments: Set(candidates))
        let changed = state.withLock { state in
            defer {
                state.config = config
                state.candidates = candidates
            }
            return state.config != config
        }
        if changed { segmentManager?.resetCache() }
        eventManager?.update(to: config.destination)
    }

    // MARK: Events

    /// Tells the platform that this device and a user belong together, if both are known.
    package func identifyUser(userId: String) {
        guard enabled, odpConfig.destination != .nowhere else {
            return services.log(.debug, "ODP: user not identified, the platform is not used")
        }
        guard let identifiers = SegmentEvent.identification(of: userId, on: vuid) else { return }
        try? sendEvent(type: nil, action: "identified", identifiers: identifiers, data: [:])
    }

    /// Takes over an event.
    ///
    /// - Throws: `odpNotEnabled`, `odpNotIntegrated`, `odpInvalidData`, `odpInvalidAction` in this order, then
    ///   `odpEventFailed` if there is no identifier.
    package func sendEvent(
        type: String?, action: String, identifiers: [String: String], data: [String: Any?]
    ) throws {
        guard let eventManager else { throw OptimizelyError.odpNotEnabled }
        guard odpConfig.destination != .nowhere else { throw OptimizelyError.odpNotIntegrated }
        try eventManager.sendEvent(
            type: type, action: action, identifiers: SegmentEvent.identifiers(identifiers, on: vuid), data: data)
    }

    // MARK: Segments

    /// Fetches the segments of a user.
    ///
    /// - Parameters:
    ///   - userId: The user's id.
    ///   - options: How to deal with answers that are kept.
    ///   - completionHandler: Gets the segments or an error, on a thread that nobody else waits for.
    package func fetchQualifiedSegments(
        userId: String, options: [OptimizelySegmentOption],
        completionHandler: @escaping ([String]?, OptimizelyError?) -> Void
    ) {
        let completion = Handed(completionHandler)
        let options = FetchSegmentsOptions(options)
        Task(executorPreference: DispatchExecutor.waitedFor) {
            let answer: Result<[String], OptimizelyError>
            do throws(OptimizelyError) {
                answer = .success(try await self.segments(of: userId, options: options))
            } catch { answer = .failure(error) }
            let outcome = Handed(answer)
            BlockingCall.start {
                switch outcome.value {
                case .success(let segments): completion.value(segments, nil)
                case .failure(let error): completion.value(nil, error)
                }
            }
        }
    }

    private func segments(
        of userID: String, options: FetchSegmentsOptions
    ) async throws(OptimizelyError) -> [String] {
        guard let segmentManager else { throw .odpNotEnabled }
        guard try !question().segments.isEmpty else { return [] }
        return try await segmentManager.segments(of: userID, options: options) { [self] () throws(OptimizelyError) in
            try question()
        }
    }

    /// Whom to ask for which segments, by the datafile of this moment.
    private func question() throws(OptimizelyError) -> (service: OdpService, segments: [String]) {
        let (config, candidates) = state.withLock { ($0.config, $0.candidates) }
        guard case .service(let service) = config.destination else {
            throw OptimizelyError(OdpSegmentError.noService)
        }
        return (service, candidates)
    }

    // MARK: The end

    /// Delivers the events that wait, as far as possible. A group is entered until that is done or a limit is over.
    package func close(within limit: Duration, _ group: DispatchGroup) {
        guard let eventManager, eventManager.count > 0, services.transport != nil else { return }
        let manager = Handed(eventManager)
        group.enter()
        Task(executorPreference: DispatchExecutor.waitedFor) {
            await manager.value.close(within: limit)
            group.leave()
        }
    }
}
