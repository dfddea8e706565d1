import TestSupport
import TurnoutServer

@Suite("The Agent's decisions")
struct AgentDecideTests {
    @Test func oneKeyGivesAnObjectWithItsMembersInOrder() async throws {
        let agent = try TestAgent()
        let body = #"{"userId": "ada", "userAttributes": {"plan": "a&b", "country": "FI", "age": 36.0, "x": null}}"#
        #expect(
            await agent.post("/v1/decide?keys=checkout", body) == """
                200 {"variationKey":"one_page","enabled":true,"ruleKey":"checkout_test","flagKey":"checkout",\
                "userContext":{"userId":"ada","attributes":{"age":36,"country":"FI","plan":"a\\u0026b","x":null}},\
                "reasons":[],"variables":{"color":"\\u003cblue\\u003e","rate":0.5,"size":12},\
                "isEveryoneElseVariation":false}

                """)
        #expect(agent.events.count == 1)
    }

    @Test func variablesAreLeftOutWhenThereAreNone() async throws {
        let agent = try TestAgent()
        let search = await agent.post("/v1/decide?keys=search", #"{"userId": "ada"}"#)
        #expect(search.contains(#""userContext":{"userId":"ada","attributes":{}},"reasons":[],"isEvery"#))
        let body = #"{"userId": "ada", "decideOptions": ["EXCLUDE_VARIABLES"]}"#
        #expect(await !agent.post("/v1/decide?keys=checkout", body).contains("variables"))
    }

    @Test func theRuleForEveryoneElseIsMarked() async throws {
        let agent = try TestAgent()
        let other = await agent.post("/v1/decide?keys=checkout", #"{"userId": "ada"}"#)
        #expect(other.contains(#""variationKey":"off","enabled":false,"ruleKey":"default-r1""#))
        #expect(other.hasSuffix("\"isEveryoneElseVariation\":true}\n"))
        let body = #"{"userId": "ada", "userAttributes": {"country": "FI"}}"#
        #expect(await agent.post("/v1/decide?keys=banner", body).hasSuffix("\"isEveryoneElseVariation\":false}\n"))
    }

    @Test func noKeyAndSeveralKeysGiveLists() async throws {
        let agent = try TestAgent()
        let user = #"{"userId": "ada"}"#
        #expect(await agent.post("/v1/decide", user).split(separator: "flagKey").count == 6)
        #expect(await agent.post("/v1/decide?flagKey=search", user).split(separator: "flagKey").count == 6)
        let two = await agent.post("/v1/decide?keys=search&keys=none&keys=search&keys=none", user)
        #expect(two.hasPrefix("200 [{") && two.hasSuffix("}]\n"))
        #expect(two.split(separator: "flagKey").count == 3)
        let options = #"{"userId": "ada", "decideOptions": ["ENABLED_FLAGS_ONLY"]}"#
        let enabled = await agent.post("/v1/decide?keys=search&keys=checkout&keys=none", options)
        #expect(enabled.split(separator: "flagKey").count == 2)
        #expect(await agent.post("/v1/decide?keys=checkout", options).contains(#""enabled":false"#))
    }

    @Test func anUnknownFlagIsReportedWithoutBeingAsked() async throws {
        let agent = try TestAgent()
        #expect(
            await agent.post("/v1/decide?keys=none", #"{"userId": "ada"}"#) == """
                200 {"variationKey":"","enabled":false,"ruleKey":"","flagKey":"none","userContext":{"userId":"ada",\
                "attributes":{}},"reasons":["No flag was found for key \\"none\\"."],"isEveryoneElseVariation":false}

                """)
        #expect(await agent.post("/v1/decide?keys=", #"{"userId": "ada"}"#).contains(#"key \"\"."#))
    }

    @Test(arguments: [
        ("", #"400 {"error":"missing \"userId\" in request payload"}"#),
        ("null", #"400 {"error":"missing \"userId\" in request payload"}"#),
        ("{}", #"400 {"error":"missing \"userId\" in request payload"}"#),
        (#"{"userId": ""}"#, #"400 {"error":"missing \"userId\" in request payload"}"#),
        ("{", #"400 {"error":"error parsing request body"}"#),
        ("[]", #"400 {"error":"error parsing request body"}"#),
        (#"{"userId": 1}"#, #"400 {"error":"error parsing request body"}"#),
        (#"{"userId": "a", "userAttributes": []}"#, #"400 {"error":"error parsing request body"}"#),
        (#"{"userId": "a", "decideOptions": ["X"]}"#, #"400 {"error":"invalid option: X"}"#),
        (#"{"userId": "a", "decideOptions": [""]}"#, #"400 {"error":"invalid option: "}"#),
    ])
    func aBodyThatCannotBeUsedIsRefused(body: String, expected: String) async throws {
        #expect(await (try TestAgent()).post("/v1/decide?keys=search", body) == expected + "\n")
    }

    @Test func membersAreReadAsGoDoes() async throws {
        let agent = try TestAgent()
        let body = #"{"USERID": "a", "userid": "b", "other": [{}], "userAttributes": null, "decideOptions": null}"#
        #expect(await agent.post("/v1/decide?keys=search", body).contains(#""userId":"b","attributes":{}"#))
    }

    @Test func forcedDecisionsApply() async throws {
        let agent = try TestAgent()
        let forced = #"[{"flagKey": "checkout", "ruleKey": "", "variationKey": "two_pages"}]"#
        let body = #"{"userId": "ada", "decideOptions": ["INCLUDE_REASONS"], "forcedDecisions": "# + forced + "}"
        let decision = await agent.post("/v1/decide?keys=checkout", body)
        #expect(decision.contains(#""variationKey":"two_pages","enabled":true,"ruleKey":"""#))
        let text = "Variation (two_pages) is mapped to flag (checkout) and user (ada) in the forced decision map."
        #expect(decision.contains("\"reasons\":[\"\(text)\"]"))
    }

    @Test func storedAssignmentsAreSeenByLaterRequests() async throws {
        let agent = try TestAgent()
        let options = #""decideOptions": ["INCLUDE_REASONS"]"#
        let first = #"{"userId": "ada", "userAttributes": {"country": "FI"}, "# + options + "}"
        #expect(
            await agent.post("/v1/decide?keys=checkout", first)
                .contains(#""reasons":["Audiences for experiment checkout_test collectively evaluated to true."]"#))
        let second = #"{"userId": "ada", "# + options + "}"
        let text = #"User \"ada\" was previously bucketed into variation \"one_page\" of experiment \"checkout_test\"."#
        #expect(await agent.post("/v1/decide?keys=checkout", second).contains("\"reasons\":[\"\(text)\"]"))
    }

    // MARK: Predictions

    @Test func banditsArePredicted() async throws {
        let source = MemoryPredictionSource(["1003": "3006"])
        let agent = try TestAgent(decisions: { $0.predictions = source })
        let body = #"{"userId": "ada", "userAttributes": {"country": "FI"}}"#
        #expect(await agent.post("/v1/decide?keys=offers", body).contains(#""variationKey":"on""#))
        #expect(await agent.post("/v1/decide?keys=offers&keys=search", body).contains(#""variationKey":"on""#))
        #expect(await agent.post("/v1/decide", body).contains(#""ruleKey":"offer_bandit""#))
        #expect(source.calls.count == 1)
        let fresh = #"{"userId": "ada", "userAttributes": {"country": "FI"}, "decideOptions": ["IGNORE_CMAB_CACHE"]}"#
        _ = await agent.post("/v1/decide?keys=offers", fresh)
        #expect(source.calls.count == 2)
    }

    @Test func aFailedPredictionIsAnError() async throws {
        let agent = try TestAgent(decisions: { $0.predictions = MemoryPredictionSource() })
        let body = #"{"userId": "ada", "userAttributes": {"country": "FI"}, "decideOptions": ["INCLUDE_REASONS"]}"#
        let decision = await agent.post("/v1/decide?keys=offers", body)
        #expect(decision.contains(#""variationKey":"","enabled":false,"ruleKey":"","flagKey":"offers""#))
        #expect(decision.contains(#""reasons":["Failed to fetch CMAB data for experiment offer_bandit."]"#))
    }

    // MARK: Segments

    private static let fetching = #"{"userId": "ada", "fetchSegments": true}"#

    @Test func segmentsAreFetchedOnRequest() async throws {
        let source = MemorySegmentSource(["ada": ["vip"]])
        let agent = try TestAgent { $0.segments = AgentSegments(source) }
        #expect(await agent.post("/v1/decide?keys=members", #"{"userId": "ada"}"#).contains(#""off""#))
        #expect(await agent.post("/v1/decide?keys=members", Self.fetching).contains(#""gold""#))
        _ = await agent.post("/v1/decide?keys=members", Self.fetching)
        #expect(source.requestedUserIDs.count == 1)
        for option in ["IGNORE_CACHE", "RESET_CACHE"] {
            let body = #"{"userId": "ada", "fetchSegments": true, "fetchSegmentsOptions": ["\#(option)"]}"#
            _ = await agent.post("/v1/decide?keys=members", body)
        }
        #expect(source.requestedUserIDs.count == 3)
    }

    @Test func segmentsThatCannotBeFetchedAreAnError() async throws {
        let expected = "500 {\"error\":\"failed to fetch qualified segments\"}\n"
        #expect(await (try TestAgent()).post("/v1/decide?keys=members", Self.fetching) == expected)
        let source = MemorySegmentSource()
        let other = try TestAgent(datafile: TestDatafile.shop(integrations: "[]")) {
            $0.segments = AgentSegments(source)
        }
        #expect(await other.post("/v1/decide?keys=members", Self.fetching) == expected)
        #expect(source.requestedUserIDs.isEmpty)
    }

    @Test func aSharedCacheHasTheKeysOfTheAgent() async throws {
        let cached = Locked<[String: [String]]>(["fs_user_id-$-bob": ["vip"], "other": []])
        let source = MemorySegmentSource(["ada": ["vip"]])
        let agent = try TestAgent { services in
            services.segments = AgentSegments(source)
            services.segments?.sharedCache = SharedSegmentCache(
                segments: { key in cached.withLock { $0[key] } },
                save: { segments, key in cached.withLock { $0[key] = segments } },
                removeAll: { cached.withLock { $0["fs_user_id-$-bob"] = nil } })
        }
        let bob = #"{"userId": "bob", "fetchSegments": true, "decideOptions": ["IGNORE_USER_PROFILE_SERVICE"]}"#
        #expect(await agent.post("/v1/decide?keys=members", bob).contains(#""gold""#))
        #expect(source.requestedUserIDs.isEmpty)
        _ = await agent.post("/v1/decide?keys=members", Self.fetching)
        #expect(cached.withLock { $0["fs_user_id-$-ada"] } == ["vip"])
        let reset = #"{"userId": "bob", "fetchSegments": true, "fetchSegmentsOptions": ["RESET_CACHE"]}"#
        #expect(await agent.post("/v1/decide?keys=members", reset).contains(#""off""#))
        #expect(cached.withLock { $0["fs_user_id-$-bob"] } == [])
    }
}
