/// Managers, and clients that are created without waiting.
@Suite struct SynchronousStartTests {
    private let setup = TestSetup()
    private let bundled = OldDatafile(revision: "9").data

    private func manager(kept: Data? = nil, bundled: Data? = nil) throws -> OPTLYManager {
        let manager = try setup.manager { $0.datafile = bundled }
        if let kept { manager.datafileManager?.saveDatafile(kept) }
        return manager
    }

    @Test("A-13", arguments: [nil, "", "a key", " "]) func withoutAKeyThereIsNoManager(key: String?) {
        #expect(setup.builder { $0.sdkKey = key } == nil)
        #expect(OPTLYManager(builder: setup.builder { $0.sdkKey = key }) == nil)
        #expect(OPTLYManagerBasic(builder: nil) == nil)
        #expect(OPTLYDatafileConfig(projectId: key, withSDKKey: key) == nil)
        let projectOnly = OPTLYDatafileConfig(projectId: "1", withSDKKey: key)
        #expect(projectOnly?.urlForKey().absoluteString == "https://cdn.optimizely.com/json/1.json")
    }

    @Test("A-14") func withoutADatafileTheClientIsADummy() throws {
        let client = try required(try manager().initialize())
        #expect(client.optimizely == nil)
        let before = setup.logger.texts(.error).count
        #expect(client.activate("sticky", userId: "u") == nil && client.variation("sticky", userId: "u") == nil)
        #expect(client.getForcedVariation("sticky", userId: "u") == nil)
        #expect(!client.setForcedVariation("sticky", userId: "u", variationKey: "first"))
        #expect(!client.isFeatureEnabled("tested", userId: "u") && client.getEnabledFeatures("u") == [])
        #expect(client.getFeatureVariableBoolean("tested", variableKey: "yes", userId: "u") == nil)
        #expect(client.getFeatureVariableDouble("tested", variableKey: "yes", userId: "u") == nil)
        #expect(client.getFeatureVariableInteger("tested", variableKey: "yes", userId: "u") == nil)
        #expect(client.getFeatureVariableString("tested", variableKey: "yes", userId: "u") == nil)
        client.track("purchase", userId: "u")
        #expect(setup.logger.texts(.error).count == before + 11, "one for each call")
        #expect(setup.dispatcher.events.isEmpty)
    }

    @Test("A-15") func theCachedDatafilePrecedesTheBundledOne() throws {
        let manager = try manager(kept: OldDatafile(revision: "2").data, bundled: bundled)
        #expect(manager.initialize()?.revision == "2")
    }

    @Test("A-16") func aDamagedCacheCountsAsNone() throws {
        #expect(try manager(kept: Data("<html>".utf8), bundled: bundled).initialize()?.revision == "9")
        let other = OldDatafile(revision: "2", project: "other").data
        #expect(try manager(kept: other, bundled: bundled).initialize()?.revision == "9")
    }

    @Test("A-25") func anotherProjectIsAWarning() throws {
        let manager = try setup.manager { builder in
            (builder.sdkKey, builder.projectId) = (nil, "1")
            builder.datafileManager = OPTLYDatafileManagerNoOp()
        }
        let client = manager.initialize(withDatafile: OldDatafile().data)
        #expect(client?.activate("sticky", userId: "ada")?.variationKey == "first")
        #expect(
            setup.logger.texts(.warning).contains {
                $0.hasPrefix("the datafile belongs to project 12345678, and the manager's projectId is 1;")
            })
        #expect(setup.errors.codes == [Int(OPTLYErrorTypes.datafileInvalid.rawValue)])
    }

    @Test("A-36", arguments: [("2", true), ("3", true), ("4", true), ("5", false)])
    func versions2To4CanBeUsed(version: String, isUsable: Bool) throws {
        let client = try setup.client(OldDatafile(version: version))
        #expect((client.optimizely != nil) == isUsable)
        #expect(client.activate("sticky", userId: "ada")?.variationKey == (isUsable ? "first" : nil))
        if isUsable { #expect(client.optimizely?.config?.version == version) }
        #expect(client.optimizely?.config?.anonymizeIP ?? true)
    }

    @Test("A-45") func clientsShareNeitherForcedVariationsNorListeners() throws {
        let manager = try manager(kept: OldDatafile().data)
        let (first, second) = (try required(manager.initialize()), try required(manager.initialize()))
        #expect(first.setForcedVariation("sticky", userId: "ada", variationKey: "second"))
        #expect(first.getForcedVariation("sticky", userId: "ada")?.variationKey == "second")
        #expect(second.getForcedVariation("sticky", userId: "ada") == nil)
        let received = Collected<String>()
        first.notificationCenter()?.addDecisionNotificationListener { _, user, _, _ in received.add(user) }
        second.activate("sticky", userId: "ada")
        #expect(received.all.isEmpty)
        first.activate("sticky", userId: "bob")
        #expect(received.all == ["bob"])
    }

    @Test func unsetServicesAreTheStandardOnes() throws {
        let full = try required(setup.make { OPTLYManager { $0?.sdkKey = "k" } })
        #expect(full.datafileManager is OPTLYDatafileManagerDefault && full.logger?.logLevel == .info)
        #expect(full.eventDispatcher is OPTLYEventDispatcherDefault)
        #expect(full.userProfileService is OPTLYUserProfileServiceDefault)
        #expect(full.errorHandler is OPTLYErrorHandlerNoOp && full.clientVersion == "3.1.5")
        let basic = try required(setup.make { OPTLYManagerBasic { $0?.sdkKey = "k" } })
        #expect(basic.datafileManager is OPTLYDatafileManagerBasic)
        #expect(basic.eventDispatcher is OPTLYEventDispatcherBasic)
        #expect(basic.userProfileService is OPTLYUserProfileServiceNoOp && basic.clientEngine == "ios-sdk")
        let timed = setup.make {
            OPTLYManager {
                $0?.sdkKey = "k"
                $0?.eventDispatchInterval = 7
            }
        }
        #expect((timed?.eventDispatcher as? OPTLYEventDispatcherDefault)?.eventDispatcherDispatchInterval == 7)
    }

    @Test func clientsNeedNoManager() throws {
        let client = setup.make {
            OPTLYClient(
                builder: OPTLYClientBuilder { builder in
                    builder.datafile = OldDatafile().data
                    builder.eventDispatcher = setup.dispatcher
                })
        }
        #expect(client.activate("sticky", userId: "ada")?.variationKey == "first")
        #expect(setup.dispatcher.events.first?.payload["client_name"] == .string("objective-c-sdk"))
        #expect(Optimizely(builder: OPTLYBuilder { $0?.datafile = Data("{}".utf8) }) == nil)
        let core = setup.make { Optimizely(builder: OPTLYBuilder { $0?.datafile = OldDatafile().data }) }
        #expect(core?.config?.getExperimentForKey("sticky")?.isExperimentRunning() == true)
        #expect(OPTLYClient(builder: nil).optimizely == nil)
    }
}
