@Suite(.ownThread) struct OptionsTests {
    @Test func rawValuesAreThePublishedOnes() {
        let options: [OptimizelyDecideOption] = [
            .disableDecisionEvent, .enabledFlagsOnly, .ignoreUserProfileService, .includeReasons, .excludeVariables,
            .ignoreCmabCache, .resetCmabCache, .invalidateUserCmabCache,
        ]
        #expect(options.map(\.rawValue) == Array(0...7))
        #expect([OptimizelySegmentOption.ignoreCache, .resetCache].map(\.rawValue) == [0, 1])
        #expect([Region.US, .EU].map(\.rawValue) == ["US", "EU"])
        #expect(
            [NotificationType.activate, .track, .datafileChange, .decision, .logEvent].map(\.rawValue) == Array(1...5))
    }

    @Test func decideOptionsAreThoseOfTheEngine() {
        for (name, option) in DecideOptions.named {
            let facade = (0...7).compactMap(OptimizelyDecideOption.init).first { "\($0)" == name }
            #expect(facade?.decideOption == option, "\(name)")
        }
        #expect(DecideOptions([OptimizelyDecideOption]()) == [])
        #expect(
            DecideOptions([OptimizelyDecideOption.includeReasons, .excludeVariables, .includeReasons])
                == [.includeReasons, .excludeVariables])
    }

    @Test func settingsHaveThePublishedDefaults() {
        let settings = OptimizelySdkSettings()
        #expect(settings.segmentsCacheSize == 100 && settings.segmentsCacheTimeoutInSecs == 600)
        #expect(settings.timeoutForSegmentFetchInSecs == 10 && settings.timeoutForOdpEventInSecs == 10)
        #expect(!settings.disableOdp && !settings.enableVuid)
        #expect(settings.sdkName == nil && settings.sdkVersion == nil)
        let named = OptimizelySdkSettings(sdkName: "flutter", sdkVersion: "")
        #expect(named.sdkName == "flutter" && named.sdkVersion == nil)
    }

    @Test func banditSettingsFallBackToTheDefaults() {
        let standard = CmabConfig()
        #expect(standard.cacheSize == 100 && standard.cacheTimeoutInSecs == 1800)
        #expect(standard.predictionEndpoint == "https://prediction.cmab.optimizely.com/predict/%@")
        let blank = CmabConfig(cacheSize: 0, cacheTimeoutInSecs: -1, predictionEndpoint: " \n")
        #expect(blank.cacheSize == 0 && blank.cacheTimeoutInSecs == 1800)
        #expect(blank.predictionEndpoint == standard.predictionEndpoint)
        #expect(CmabConfig(predictionEndpoint: " https://x.test/%@ ").predictionEndpoint == "https://x.test/%@")
    }

    @Test(arguments: [(0, 1_800), (-1, 1_800), (.min, 1_800), (60, 60)] as [(Int, Int)])
    func predictionsExpireAsConfiguredOrAfterHalfAnHour(setting: Int, lifetime: Int) async throws {
        let (clock, predictions) = (ManualClock(), MemoryPredictionSource(["5": "52"]))
        var environment = HostEnvironment()
        environment.clock = clock
        environment.predictions = predictions
        let setup = try TestSetup(cmab: CmabConfig(cacheTimeoutInSecs: setting), environment: environment)
        for (seconds, count) in [(0, 1), (lifetime - 1, 1), (1, 2), (lifetime - 1, 2)] {
            clock.advance(by: .seconds(seconds))
            #expect(await setup.user().decideAsync(key: "bandit").variationKey == "b")
            #expect(predictions.calls.count == count)
        }
    }

    @Test func contextsAreEqualByBothKeys() {
        let flag = OptimizelyDecisionContext(flagKey: "f")
        #expect(flag == OptimizelyDecisionContext(flagKey: "f", ruleKey: nil) && flag.ruleKey == nil)
        #expect(flag != OptimizelyDecisionContext(flagKey: "f", ruleKey: "r"))
        #expect(OptimizelyForcedDecision(variationKey: "v") == OptimizelyForcedDecision(variationKey: "v"))
    }
}
