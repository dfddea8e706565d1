#if Server
    import TurnoutClient
    import TurnoutCommandIO
    import TurnoutEngine
    import TurnoutRedis
    import TurnoutServer

    #if Curl && os(Linux)
        import TurnoutCurl
    #endif

    /// The stores, caches and services that the Agent's own settings name.
    struct AgentAdapters {
        private let configuration: ServerConfiguration
        private let log: any Log

        init(_ configuration: ServerConfiguration, log: any Log) {
            self.configuration = configuration
            self.log = log
        }

        private var agent: AgentConfiguration { configuration.agent }

        /// Adds them to those of a server.
        ///
        /// - Returns: The stores of assignments over a network.
        /// - Throws: `CommandError` for one that this build lacks, and the errors of opening a store.
        func add(to adapters: inout ServerAdapters) throws -> [ObservedProfiles] {
            let setting = "OPTIMIZELY_CLIENT_USERPROFILESERVICE"
            var observed: [ObservedProfiles] = []
            for (name, store) in agent.profileServices.stores.sorted(by: { $0.key < $1.key }) {
                if case .memory(let entries, _) = store {
                    adapters.namedProfiles[name] = entries.map { MemoryProfileStore(users: $0) } ?? MemoryProfileStore()
                } else {
                    let profiles = try profiles(store, name, setting)
                    adapters.namedProfiles[name] = profiles.store
                    observed.append(profiles)
                }
            }
            if configuration.profiles == nil, let name = agent.profileServices.standard,
                let store = adapters.namedProfiles[name]
            {
                adapters.profiles = store
            }
            #if Curl && os(Linux)
                let transport = TraceForwardingTransport(CurlTransport())
                if let address = agent.predictionAddress {
                    var options = HTTPPredictionOptions()
                    options.address = address.replacing("%s", with: "{ruleID}")
                    if let timeout = agent.predictionTimeout { options.deadline = timeout }
                    adapters.predictions = HTTPPredictionSource(transport: transport, options: options)
                }
                if adapters.segments == nil, !agent.disablesSegments {
                    adapters.segments = try segments(over: adapters.hub ?? transport)
                    // Events are sent later, and not as a part of the request that brought them.
                    adapters.sendSegmentEvent = events(over: CurlTransport())
                }
            #else
                guard agent.predictionAddress == nil else {
                    throw CommandError("this build of turnout cannot request predictions, for which it needs Curl")
                }
            #endif
            return observed
        }

        private func profiles(_ store: AgentStore, _ name: String, _ setting: String) throws -> ObservedProfiles {
            switch store {
            case .redis(let address, _):
                ObservedProfiles(
                    name, network: try ProfileStoreKind.open(address, .create, option: setting, log: log).store,
                    log: log)
            case .rest(let service):
                // With `async`, assignments are stored after the response.
                ObservedProfiles(
                    name, network: try Self.profiles(service, setting),
                    service.isAsync ? ProfilePolicy() : ProfilePolicy(bufferedAssignments: 0), log: log)
            case .memory, .unknown: throw CommandError("\(setting): there is no service \"\(name)\" here")
            case .unusable(let problem): throw Self.unusable(problem, setting)
            }
        }

        private static func unusable(_ problem: AgentServiceProblem, _ setting: String) -> CommandError {
            CommandError("\(setting): the service \"\(problem.service)\" cannot be used: \(problem)")
        }

        private static func profiles(_ service: AgentProfileService, _ setting: String) throws -> any ProfileStore {
            for address in [service.lookupAddress, service.saveAddress] {
                do throws(TransportError) { try HTTPRequest(.get, address).check(TransportOptions()) } catch {
                    throw CommandError(
                        "\(setting): the service \"rest\" cannot be used: \(error)",
                        advice: "It needs an address with https, or with http on this machine.")
                }
            }
            return AgentProfileStore(service, transport: TraceForwardingTransport(try Network.transport()))
        }

        // MARK: Segments

        private func segments(over transport: any Transport) throws -> AgentSegments {
            let deadline = configuration.segmentsTime
            let source: any SegmentSource =
                configuration.segmentsHost.map {
                    RedirectedSegmentSource($0, transport: transport, deadline: deadline)
                } ?? OdpSegmentSource(transport: transport, deadline: deadline)
            var options = SegmentOptions.forServers
            // The hub's last answers are kept besides.
            if configuration.hub != nil { options.lifetime = .seconds(10) }
            if case .memory(let entries, let lifetime) = agent.segmentCaches.standardStore {
                options.cachedUsers = entries ?? options.cachedUsers
                options.lifetime = lifetime
            }
            var segments = AgentSegments(source, options: options)
            switch agent.segmentCaches.standardStore {
            case .redis(let address, let lifetime): segments.sharedCache = try sharedCache(address, lifetime)
            case .rest: throw CommandError("OPTIMIZELY_CLIENT_ODP_SEGMENTSCACHE: there is no service \"rest\" here")
            case .unknown(let name):
                throw CommandError("OPTIMIZELY_CLIENT_ODP_SEGMENTSCACHE: there is no service \"\(name)\" here")
            case .unusable(let problem): throw Self.unusable(problem, "OPTIMIZELY_CLIENT_ODP_SEGMENTSCACHE")
            case .memory, nil: break
            }
            return segments
        }

        private func sharedCache(_ address: String, _ lifetime: Duration?) throws -> SharedSegmentCache {
            let cache = try RedisSegmentCache(RedisOptions(url: address), lifetime: lifetime)
            return SharedSegmentCache(
                segments: { key in try await BlockingCall.result { try cache.segments(key) } },
                save: { segments, key in try await BlockingCall.result { try cache.save(segments, key) } },
                removeAll: { try await BlockingCall.result { try cache.removeAll() } })
        }

        /// Sends events to the data platforms, from memory.
        private func events(
            over transport: any Transport
        ) -> @Sendable (SegmentEvent, Project) -> EventAcceptance {
            var options = EventOptions()
            options.interval = .seconds(1)
            options.eventsPerRequest = 10
            options.maximumEventsPerRequest = 10
            var services = EventServices()
            services.log = log
            let queue = EventQueue(
                store: MemoryEventStore(limit: 10_000), transport: transport, options: options, services: services)
            let host = configuration.segmentsHost
            return { event, project in
                guard let named = OdpService(of: project) else { return .lost }
                let service = host.map { OdpService(host: $0, key: named.key) } ?? named
                return queue.accept(service.outgoing(event))
            }
        }
    }
#endif
