package import Dispatch
package import TurnoutClient

// @unchecked Sendable because its own state is behind a lock, and its managers may be called on any thread.
/// A client's access to Optimizely Data Platform (ODP): fetches users' segments and sends events.
///
/// A client creates its own manager. Create one to provide a custom segment manager or event manager.
public class OdpManager: @unchecked Sendable {
    /// The ODP configuration of one datafile.
    package struct Config: Sendable, Equatable {
        /// The service for events and segments.
        package var destination = SegmentEventDestination.unknown
        /// The segments that audience conditions refer to.
        package var segments: Set<String> = []
    }

    private struct State {
        var vuid: String?
        var services: OdpServices
        var config = Config()
        var candidates: [String] = []
    }

    package let enabled: Bool
    /// Fetches segments; nil if ODP is disabled.
    package let segmentManager: OdpSegmentManager?
    /// Sends events; nil if ODP is disabled.
    package let eventManager: OdpEventManager?
    private let state: Locked<State>

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - sdkKey: The client's SDK key.
    ///   - disable: Whether ODP is disabled.
    ///   - vuid: The device's VUID, added to events. Default: nil.
    ///   - cacheSize: The maximum number of users whose segments are cached; zero or less disables the cache.
    ///   - cacheTimeoutInSecs: How long segments are cached, in seconds; zero or less means without expiry.
    ///   - timeoutForSegmentFetchInSecs: The time limit for fetching segments, in seconds. Default: nil, which means
    ///     10.
    ///   - timeoutForEventDispatchInSecs: The time limit for a request with events, in seconds. Default: nil, which
    ///     means 10.
    ///   - segmentManager: Fetches segments. Default: nil, the standard implementation.
    ///   - eventManager: Sends events. Default: nil, the standard implementation.
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

    /// Creates a manager with its services.
    ///
    /// If `vuid` is not nil, an event announces the device to ODP at once.
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

    /// The services for requests. A client sets them first, even on a manager that the caller provides.
    package var services: OdpServices {
        get { state.withLock { $0.services } }
        set {
            state.withLock { $0.services = newValue }
            segmentManager?.connect(newValue)
            eventManager?.connect(newValue)
        }
    }

    /// The device's VUID; nil if events do not contain one. Each new VUID is announced to ODP.
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

    /// The ODP configuration of the current datafile.
    package var odpConfig: Config { state.withLock { $0.config } }

    /// Switches to another datafile; nil if there is none.
    ///
    /// Events queued before are still sent to their original destination. Cached segments are discarded if the
    /// configuration that they depend on changed.
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

    /// Tells ODP that the device and a user belong together, if both ids are known.
    package func identifyUser(userId: String) {
        guard enabled, odpConfig.destination != .noPlatform else {
            return services.log(.debug, "ODP: user not identified, the platform is not used")
        }
        guard let identifiers = SegmentEvent.identification(of: userId, on: vuid) else { return }
        try? sendEvent(type: nil, action: "identified", identifiers: identifiers, data: [:])
    }

    /// Queues an event.
    ///
    /// - Throws: `odpNotEnabled`, `odpNotIntegrated`, `odpInvalidData`, `odpInvalidAction` in this order, then
    ///   `odpEventFailed` if there is no identifier.
    package func sendEvent(
        type: String?, action: String, identifiers: [String: String], data: [String: Any?]
    ) throws {
        guard let eventManager else { throw OptimizelyError.odpNotEnabled }
        guard odpConfig.destination != .noPlatform else { throw OptimizelyError.odpNotIntegrated }
        try eventManager.sendEvent(
            type: type, action: action, identifiers: SegmentEvent.identifiers(identifiers, on: vuid), data: data)
    }

    // MARK: Segments

    /// Fetches the segments of a user.
    ///
    /// - Parameters:
    ///   - userId: The user's id.
    ///   - options: How to use the segment cache.
    ///   - completionHandler: Receives the segments or an error, on a separate thread that may block.
    package func fetchQualifiedSegments(
        userId: String, options: [OptimizelySegmentOption],
        completionHandler: @escaping ([String]?, OptimizelyError?) -> Void
    ) {
        let completion = UncheckedSendable(completionHandler)
        let options = FetchSegmentsOptions(options)
        Task(executorPreference: DispatchExecutor.blockingCallers) {
            let result: Result<[String], OptimizelyError>
            do throws(OptimizelyError) {
                result = .success(try await self.segments(of: userId, options: options))
            } catch { result = .failure(error) }
            let outcome = UncheckedSendable(result)
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
        guard try !query().segments.isEmpty else { return [] }
        return try await segmentManager.segments(of: userID, options: options) { [self] () throws(OptimizelyError) in
            try query()
        }
    }

    /// The service and the segments to ask for, from the current datafile.
    private func query() throws(OptimizelyError) -> (service: OdpService, segments: [String]) {
        let (config, candidates) = state.withLock { ($0.config, $0.candidates) }
        guard case .service(let service) = config.destination else {
            throw OptimizelyError(OdpSegmentError.noService)
        }
        return (service, candidates)
    }

    // MARK: Closing

    /// Delivers queued events as far as possible. Enters `group` until that is done or the limit is over.
    package func close(within limit: Duration, _ group: DispatchGroup) {
        guard let eventManager, eventManager.count > 0, services.transport != nil else { return }
        let manager = UncheckedSendable(eventManager)
        group.enter()
        Task(executorPreference: DispatchExecutor.blockingCallers) {
            await manager.value.close(within: limit)
            group.leave()
        }
    }
}

/// The services of the ODP classes. A client sets them on its manager; without a client, nothing is sent.
package struct OdpServices: Sendable {
    /// Sends requests; if nil, events stay queued and segments cannot be fetched.
    package var transport: (any Transport)?
    /// The options for requests with a subclass's session. The transport has its own options.
    package var options = TransportOptions()
    /// Measures retry delays and cache ages.
    package var clock: any Clock<Duration> = .continuous
    /// Generates the ids of events.
    package var random: any RandomSource = .system
    package var log: any Log = .standardError
    /// The default data of events: program and machine.
    package var origin = SegmentEventOrigin.here(
        source: OptimizelySdkSettings.standardName, sourceVersion: OptimizelySdkSettings.standardVersion)

    /// Creates services without a transport; set properties as needed.
    package init() {}
}

extension Duration {
    /// A time limit from settings: nil means 10 seconds; zero or less means 60 seconds, the system's default.
    static func odpLimit(_ seconds: Int?) -> Duration {
        guard let seconds else { return .seconds(10) }
        return .seconds(seconds > 0 ? seconds : 60)
    }
}
