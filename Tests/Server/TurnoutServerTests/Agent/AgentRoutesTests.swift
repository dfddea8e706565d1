import TestSupport
import TurnoutServer

@Suite("The Agent's other routes")
struct AgentRoutesTests {
    // MARK: activate

    @Test func anExperimentIsActivated() async throws {
        let agent = try TestAgent()
        let body = #"{"userId": "ada", "userAttributes": {"country": "FI"}}"#
        #expect(
            await agent.post("/v1/activate?experimentKey=checkout_test", body) == """
                200 [{"userId":"ada","experimentKey":"checkout_test","featureKey":"","variationKey":"one_page",\
                "type":"experiment","enabled":true}]

                """)
        #expect(agent.events.last.contains(#""rule_type":"experiment""#))
        #expect(await agent.post("/v1/activate?experimentKey=checkout_test", #"{"userId": "eve"}"#).contains("false"))
    }

    @Test func aFlagIsActivatedWithoutTheRulesOfItsRollout() async throws {
        let agent = try TestAgent()
        let body = #"{"userId": "ada", "userAttributes": {"country": "FI"}}"#
        #expect(
            await agent.post("/v1/activate?featureKey=checkout&featureKey=banner", body) == """
                200 [{"userId":"ada","experimentKey":"checkout_test","featureKey":"checkout",\
                "variationKey":"one_page","type":"feature",\
                "variables":{"color":"\\u003cblue\\u003e","rate":0.5,"size":12},"enabled":true},\
                {"userId":"ada","experimentKey":"","featureKey":"banner","variationKey":"","type":"feature",\
                "enabled":true}]

                """)
    }

    @Test(arguments: [
        (
            "experimentKey=none",
            #"[{"userId":"a","experimentKey":"none","featureKey":"","variationKey":"","type":"","#
                + #""enabled":false,"error":"experimentKey not found"}]"#
        ),
        (
            "experimentKey=",
            #"[{"userId":"a","experimentKey":"","featureKey":"","variationKey":"","type":"","#
                + #""enabled":false,"error":"experimentKey not found"}]"#
        ),
        (
            "featureKey=none",
            #"[{"userId":"a","experimentKey":"","featureKey":"none","variationKey":"","type":"","#
                + #""enabled":false,"error":"featureKey not found"}]"#
        ),
        ("", "[]"),
    ])
    func unknownKeysAreRows(query: String, expected: String) async throws {
        let agent = try TestAgent()
        #expect(await agent.post("/v1/activate?" + query, #"{"userId": "a"}"#) == "200 \(expected)\n")
    }

    @Test func allExperimentsOrFlagsAreActivated() async throws {
        let agent = try TestAgent(decisions: { $0.predictions = MemoryPredictionSource(["1003": "3006"]) })
        let body = #"{"userId": "ada", "userAttributes": {"country": "FI"}}"#
        let experiments = await agent.post("/v1/activate?type=experiment", body)
        #expect(experiments.split(separator: "userId").count == 5)
        #expect(experiments.contains(#""experimentKey":"offer_bandit","featureKey":"","variationKey":"on""#))
        let flags = await agent.post("/v1/activate?type=feature", body)
        #expect(flags.split(separator: "userId").count == 6)
        #expect(flags.contains(#""experimentKey":"offer_bandit","featureKey":"offers","variationKey":"on""#))
        #expect(await agent.post("/v1/activate?type=x", body) == "400 {\"error\":\"type \\\"x\\\" not supported\"}\n")
        #expect(await agent.post("/v1/activate?type=", body) == "400 {\"error\":\"type \\\"\\\" not supported\"}\n")
    }

    @Test func rowsAreFilteredAndTrackingIsDisabled() async throws {
        let agent = try TestAgent()
        let body = #"{"userId": "ada"}"#
        let query = "/v1/activate?experimentKey=ranking_test&featureKey=checkout"
        #expect(await agent.post(query + "&enabled=true", body).split(separator: "userId").count == 2)
        #expect(await agent.post(query + "&enabled=false", body).contains(#""featureKey":"checkout""#))
        #expect(await agent.post(query + "&enabled=maybe", body).split(separator: "userId").count == 3)
        let count = agent.events.count
        _ = await agent.post(query + "&disableTracking=true", body)
        #expect(agent.events.count == count)
        _ = await agent.post(query + "&disableTracking=1", body)
        #expect(agent.events.count == count + 1)
        #expect(await agent.post(query, "{}").hasPrefix("400"))
    }

    // MARK: track

    @Test func aConversionIsTracked() async throws {
        let agent = try TestAgent()
        let body = #"{"userId": "ada", "eventtags": {"revenue": 4200, "shop": "x"}}"#
        #expect(
            await agent.post("/v1/track?eventKey=purchase", body)
                == "200 {\"userId\":\"ada\",\"eventKey\":\"purchase\"}\n")
        #expect(agent.events.last.contains(#""revenue":4200"#))
        #expect(
            await agent.post("/v1/track?eventKey=none", body) == """
                200 {"userId":"ada","eventKey":"none","error":"event with key \\"none\\" not found"}

                """)
        let missing = "400 {\"error\":\"missing required path parameter: eventKey\"}\n"
        #expect(await agent.post("/v1/track?eventKey=", body) == missing)
        #expect(await agent.post("/v1/track", body) == missing)
        #expect(
            await agent.post("/v1/track?eventKey=purchase", "[") == "400 {\"error\":\"error parsing request body\"}\n")
        #expect(agent.events.count == 1)
    }

    // MARK: override

    @Test func aUserIsPutIntoAVariation() async throws {
        var configuration = AgentConfiguration()
        configuration.allowsOverrides = true
        let agent = try TestAgent(configuration)
        func override(_ experiment: String, _ variation: String) async -> String {
            let body = #"{"userId": "ada", "experimentKey": "\#(experiment)", "variationKey": "\#(variation)"}"#
            return String(await agent.post("/v1/override", body).drop { $0 != "v" })
        }
        let decide = #"{"userId": "ada", "userAttributes": {"country": "FI"}, "decideOptions": ["INCLUDE_REASONS"]}"#
        #expect(
            await override("checkout_test", "two_pages")
                == "variationKey\":\"two_pages\",\"prevVariationKey\":\"\",\"messages\":null}\n")
        let decision = await agent.post("/v1/decide?keys=checkout", decide)
        #expect(decision.contains(#""variationKey":"two_pages""#))
        #expect(decision.contains(#"["Override variation two_pages found for user ada"]"#))
        #expect(
            await override("checkout_test", "none") == """
                variationKey":"none","prevVariationKey":"two_pages","messages":\
                ["variationKey not found in configuration","updating previous override"]}

                """)
        #expect(await agent.post("/v1/decide?keys=checkout", decide).contains(#""variationKey":"one_page""#))
        #expect(
            await override("checkout_test", "") == """
                variationKey":"","prevVariationKey":"none","messages":["removing previous override"]}

                """)
        #expect(
            await override("checkout_test", "")
                == "variationKey\":\"\",\"prevVariationKey\":\"\",\"messages\":[\"no pre-existing override\"]}\n")
        #expect(await override("none", "x").contains(#"["experimentKey not found in configuration"]"#))
        #expect(await override("", "x") == "")
        #expect(await agent.post("/v1/override", "{}") == "400 {\"error\":\"userId cannot be empty\"}\n")
        #expect(
            await agent.post("/v1/override", #"{"userId": "ada"}"#)
                == "400 {\"error\":\"experimentKey cannot be empty\"}\n")
    }

    @Test func overridesAreOffUnlessConfiguredAndBounded() async throws {
        let body = #"{"userId": "ada", "experimentKey": "checkout_test", "variationKey": "two_pages"}"#
        #expect(await (try TestAgent()).post("/v1/override", body) == "403 Overrides not enabled\n")
        var (configuration, limits) = (AgentConfiguration(), ClientLimits())
        configuration.allowsOverrides = true
        limits.overrides = 1
        let agent = try TestAgent(configuration, limits: limits)
        #expect(await agent.post("/v1/override", body).hasPrefix("200"))
        #expect(await agent.post("/v1/override", body).hasPrefix("200"))
        let other = #"{"userId": "bob", "experimentKey": "checkout_test", "variationKey": "two_pages"}"#
        #expect(await agent.post("/v1/override", other) == "507 {\"error\":\"too many overrides\"}\n")
    }

    // MARK: Profiles

    @Test func profilesAreLookedUpAndReplaced() async throws {
        let agent = try TestAgent()
        let empty = "200 {\"userId\":\"bob\",\"experimentBucketMap\":{}}\n"
        #expect(await agent.post("/v1/lookup", #"{"userId": "bob"}"#) == empty)
        let profile = #"{"userId":"bob","experimentBucketMap":{"1001":{"variation_id":"3002"}}}"#
        let saved = await agent.send("POST", "/v1/save", profile)
        #expect(saved.statusAndText == "200 " && saved.headers["Content-Type"] == nil)
        #expect(await agent.post("/v1/lookup", #"{"userId": "bob"}"#) == "200 \(profile)\n")
        #expect(await agent.post("/v1/decide?keys=checkout", #"{"userId": "bob"}"#).contains(#""two_pages""#))
        #expect(await agent.post("/v1/save", #"{"userId": "bob", "experimentBucketMaps": {"1": {}}}"#) == "200 ")
        #expect(await agent.post("/v1/lookup", #"{"userId": "bob"}"#) == empty)
        for route in ["/v1/lookup", "/v1/save"] {
            #expect(await agent.post(route, "{}") == "400 {\"error\":\"missing \\\"userId\\\" in request payload\"}\n")
            #expect(await agent.post(route, "1") == "400 {\"error\":\"error parsing request body\"}\n")
        }
    }

    /// SDK keys are no secret, so the assignments of all users would be open.
    @Test(arguments: ["/v1/lookup", "/v1/save"])
    func profilesNeedAStoreThatTheOperatorOpens(route: String) async throws {
        for agent in [
            try TestAgent(decisions: { $0.profiles = nil }), try TestAgent { $0.allowsProfileRoutes = false },
        ] {
            let response = await agent.post(route, #"{"userId": "bob"}"#)
            #expect(response == "500 {\"error\":\"no user profile service found\"}\n")
        }
    }

    @Test func theFirstRequestChoosesAStore() async throws {
        let other = MemoryProfileStore()
        other.save(["1001": "3002"], for: "bob")
        let agent = try TestAgent(decisions: { $0.namedProfiles = ["other": other] })
        let chosen: HeaderFields = ["X-Optimizely-UPS-Name": "other"]
        #expect(await agent.post("/v1/lookup", #"{"userId": "bob"}"#, headers: chosen).contains("3002"))
        #expect(await agent.post("/v1/lookup", #"{"userId": "bob"}"#).contains("3002"))
        let later = try TestAgent(decisions: { $0.namedProfiles = ["other": other] })
        #expect(await !later.post("/v1/lookup", #"{"userId": "bob"}"#).contains("3002"))
        #expect(await !later.post("/v1/lookup", #"{"userId": "bob"}"#, headers: chosen).contains("3002"))
    }

    /// The Agent has no store for the SDK key from then on, until it is restarted.
    @Test func anUnknownStoreIsNotChosen() async throws {
        let agent = try TestAgent { $0.allowsAccess = { _, token in token == "token" } }
        for name in ["none", "other"] {
            let unknown: HeaderFields = ["X-Optimizely-UPS-Name": name]
            #expect(await agent.post("/v1/lookup", #"{"userId": "bob"}"#, headers: unknown).hasPrefix("403"))
        }
        let open = try TestAgent()
        let unknown: HeaderFields = ["X-Optimizely-UPS-Name": "none"]
        #expect(await open.post("/v1/lookup", #"{"userId": "bob"}"#, headers: unknown).hasPrefix("200"))
        #expect(await open.post("/v1/lookup", #"{"userId": "bob"}"#).hasPrefix("200"))
    }

    // MARK: send-odp-event

    @Test(arguments: [
        (
            #"{"action": "a", "identifiers": {"id": "1"}, "data": {"n": 1, "t": "x", "b": true}}"#,
            #"200 {"success":true}"#
        ),
        (#"{"identifiers": {"id": "1"}}"#, #"400 {"error":"missing \"action\" in request payload"}"#),
        (#"{"action": "a"}"#, #"400 {"error":"missing or empty \"identifiers\" in request payload"}"#),
        (#"{"action": "", "identifiers": ""}"#, #"400 {"error":"error parsing request body"}"#),
        (#"{"action": "a", "identifiers": {"id": 1}}"#, #"400 {"error":"error parsing request body"}"#),
        (#"{"action": "a", "identifiers": {"id": "1"}, "data": {"x": []}}"#, #"500 {"error":"ODP data is not valid"}"#),
    ])
    func anEventForTheDataPlatformIsChecked(body: String, expected: String) async throws {
        let agent = try TestAgent { $0.sendSegmentEvent = { _, _ in .accepted } }
        #expect(await agent.post("/v1/send-odp-event", body) == expected + "\n")
    }

    @Test func anEventThatCannotBeSentIsAnError() async throws {
        let body = #"{"action": "a", "identifiers": {"id": "1"}}"#
        let sent = Locked<[SegmentEvent]>([])
        let full = try TestAgent { services in
            services.sendSegmentEvent = { event, _ in
                sent.withLock { $0.append(event) }
                return .lost
            }
        }
        #expect(await full.post("/v1/send-odp-event", body) == "500 {\"error\":\"ODP EventQueue is full\"}\n")
        #expect(sent.withLock { $0.map(\.type) } == ["fullstack"])
        #expect(await (try TestAgent()).post("/v1/send-odp-event", body) == "500 {\"error\":\"ODP is not enabled\"}\n")
        let other = try TestAgent(datafile: TestDatafile.shop(integrations: "[]"))
        #expect(await other.post("/v1/send-odp-event", body) == "500 {\"error\":\"ODP is not integrated\"}\n")
    }

    // MARK: The datafile

    @Test func theDatafileIsServedUnchangedAndWithATag() async throws {
        let agent = try TestAgent()
        for path in ["/v1/datafile?featureKey=x", "/v1/config"] {
            let response = await agent.send("GET", path, "{")
            #expect(response.status == 200)
            let tag = try #require(response.headers["ETag"])
            let known = await agent.send("GET", path, headers: ["If-None-Match": "\"x\", W/" + tag])
            #expect(known.statusAndText == "304 " && known.headers["ETag"] == tag)
            try agent.directory.publish(TestDatafile.shop(revision: path.count), for: "shop")
            #expect(await agent.get(path, headers: ["If-None-Match": tag]).hasPrefix("200"))
        }
        #expect(
            await agent.get("/v1/datafile") == "200 " + String(decoding: TestDatafile.shop(revision: 10), as: UTF8.self)
        )
    }

    @Test func theContentsOfTheDatafileAreListed() async throws {
        let config = await (try TestAgent()).get("/v1/config")
        #expect(
            config.hasPrefix(#"200 {"environmentKey":"production","sdkKey":"shop","revision":"1","experimentsMap":{"#))
        #expect(config.hasSuffix("\"events\":[{\"id\":\"900\",\"key\":\"purchase\",\"experimentIds\":[\"1001\"]}]}\n"))
        for part in [
            #""checkout_test":{"id":"1001","key":"checkout_test","audiences":"\"Finland\"","variationsMap":{"#,
            #"{"id":"3001","key":"one_page","featureEnabled":true,"variablesMap":{"color":{"id":"601","key":"color","#
                + #""type":"string","value":"\u003cblue\u003e"},"rate":"#,
            #""banner":{"id":"505","key":"banner","experimentRules":[],"deliveryRules":[{"id":"1101","#,
            #""attributes":[{"id":"1","key":"country"},{"id":"2","key":"plan"}],"audiences":[{"id":"100","#
                + #""name":"Finland","conditions":"[\"and\",[\"or\",[\"or\",{\"match\":\"exact\","#,
        ] { #expect(config.contains(part), "\(part)") }
        #expect(!config.contains("$opt_dummy_audience"))
    }

    // MARK: reset

    @Test func aResetForgetsOverridesAndPredictions() async throws {
        var configuration = AgentConfiguration()
        configuration.allowsOverrides = true
        let source = MemoryPredictionSource(["1003": "3006"])
        let agent = try TestAgent(configuration, decisions: { $0.predictions = source })
        let override = #"{"userId": "ada", "experimentKey": "ranking_test", "variationKey": "by_sales"}"#
        _ = await agent.post("/v1/override", override)
        let body = #"{"userId": "ada", "userAttributes": {"country": "FI"}}"#
        _ = await agent.post("/v1/decide?keys=offers", body)
        #expect(await agent.post("/v1/reset") == "200 {\"result\":true}\n")
        _ = await agent.post("/v1/decide?keys=offers", body)
        #expect(source.calls.count == 2)
        #expect(await agent.post("/v1/override", override).contains(#""prevVariationKey":"","messages":null"#))
    }
}
