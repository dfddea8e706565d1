#if SQLite
    import TestSupport
    import TurnoutSQLite

    /// The code of "Segments" works as described.
    @Suite struct SegmentPageTests {
        private let directory = TemporaryDirectory()
        private let transport = MemoryTransport { request in
            guard request.url.hasSuffix("/v3/graphql") else { return HTTPResponse(status: 202) }
            let body = #"{"data":{"customer":{"audiences":{"edges":[{"node":{"name":"vip","state":"qualified"}}]}}}}"#
            return HTTPResponse(status: 200, body: Array(body.utf8))
        }
        private let datafile = Array(
            #"""
            {"version": "4", "accountId": "A", "projectId": "P", "revision": "1", "anonymizeIP": true, "groups": [],
             "audiences": [], "events": [], "attributes": [],
             "integrations": [{"key": "odp", "host": "https://odp.test", "publicKey": "key"}],
             "typedAudiences": [{"id": "9", "name": "vip", "conditions": ["or",
              {"type": "third_party_dimension", "name": "odp.audiences", "match": "qualified", "value": "vip"}]}],
             "featureFlags": [{"id": "1", "key": "offer", "experimentIds": [], "rolloutId": "2", "variables": []}],
             "experiments": [], "rollouts": [{"id": "2", "experiments": [{"id": "3", "key": "rule", "layerId": "2",
              "status": "Running", "audienceIds": ["9"], "forcedVariations": {},
              "trafficAllocation": [{"entityId": "4", "endOfRange": 10000}],
              "variations": [{"id": "4", "key": "on", "featureEnabled": true}]}]}]}
            """#.utf8)

        /// The bodies of event requests.
        private var told: String {
            transport.requests.filter { $0.url == "https://odp.test/v3/events" }
                .map { String(decoding: $0.body, as: UTF8.self) }.joined()
        }

        @Test func segmentsAreFetchedAndEventsSent() async throws {
            var configuration = ClientConfiguration()
            configuration.transport = transport
            configuration.segments = .odp(transport: transport)
            let client = try FlagClient(datafile: datafile, configuration)

            var ada = client.user("ada")
            try await ada.fetchSegments()
            let offer = ada.decide("offer")

            #expect(offer.isEnabled)
            #expect(transport.requests.first?.url == "https://odp.test/v3/graphql")

            try ada.sendSegmentEvent("added_to_cart", data: ["sku": "A-1", "price": 19.5, "gift": false])
            try client.sendSegmentEvent("newsletter", type: "shop", identifiers: ["email": "ada@example.com"])

            await client.flush()
            #expect(told.contains(#""fs_user_id":"ada""#) && told.contains(#""price":19.5"#))
            #expect(told.contains(#""type":"shop","action":"newsletter","identifiers":{"email":"ada@example.com"}"#))
            #expect(client.lostEvents.total == 0)
        }

        @Test func aFixedPlatformReceivesAllEvents() async throws {
            var configuration = ClientConfiguration()
            configuration.transport = transport
            let platform = OdpService(host: "https://api.zaius.com", key: "public-key-of-the-project")
            configuration.segments = .odp(platform, transport: transport)
            configuration.segmentEventService = platform

            let client = try FlagClient(datafile: datafile, configuration)
            _ = try await client.segments(of: "ada")
            try client.user("ada").sendSegmentEvent("added_to_cart")
            await client.flush()
            let paths = ["/v3/graphql", "/v3/events"]
            #expect(transport.requests.map(\.url) == paths.map { "https://api.zaius.com" + $0 })
        }

        @Test func aDeviceCanBeUsedBeforeItsUserIsKnown() async throws {
            let storage = SQLiteStorage.open(directory: directory.path, log: directory.log)
            var configuration = ClientConfiguration()
            configuration.keep(in: storage)
            configuration.transport = transport
            configuration.deviceID = try storage.settings.deviceID()
            let client = try FlagClient(datafile: datafile, configuration)

            client.identify("ada")

            let device = try #require(client.deviceID)
            let visitor = client.user(device.rawValue)
            visitor.identify()
            await client.flush()
            let identifiers = #""action":"identified","identifiers":{"fs_user_id":"ada","vuid":"\#(device)"}"#
            #expect(told.contains("client_initialized") && told.contains(identifiers))
            #expect(told.split(separator: #""action":"identified""#, omittingEmptySubsequences: false).count == 2)
            #expect(try storage.settings.deviceID() == device)
        }
    }
#endif
