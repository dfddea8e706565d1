import OptimizelySDKCore
import OptimizelySDKDatafileManager
import OptimizelySDKEventDispatcher
import OptimizelySDKShared
import OptimizelySDKTVOS
import OptimizelySDKUserProfileService

/// Names that programs for the Objective-C library use, from each of its modules.
@Suite struct OtherModuleTests {
    @Test func theModulesHaveTheSameNames() {
        #expect(OptimizelySDKTVOS.OPTLYManagerBuilder.self == OptimizelySDKCore.OPTLYManagerBuilder.self)
        #expect(OptimizelySDKShared.OPTLYManager.self == OptimizelySDKCore.OPTLYManager.self)
        #expect(
            OptimizelySDKDatafileManager.OPTLYDatafileManagerDefault.self
                == OptimizelySDKCore.OPTLYDatafileManagerDefault.self)
        #expect(
            OptimizelySDKEventDispatcher.OPTLYEventDispatcherDefault.self
                == OptimizelySDKCore.OPTLYEventDispatcherDefault.self)
        #expect(
            OptimizelySDKUserProfileService.OPTLYUserProfileServiceDefault.self
                == OptimizelySDKCore.OPTLYUserProfileServiceDefault.self)
    }

    @Test func keysOfProfiles() {
        #expect(OPTLYDatafileKeysUserProfileServiceUserId == "user_id")
        #expect(OPTLYDatafileKeysUserProfileServiceExperimentBucketMap == "experiment_bucket_map")
        #expect(OPTLYDatafileKeysUserProfileServiceVariationId == "variation_id")
    }

    @Test func aProjectConfigHasABuilder() throws {
        let builder = OPTLYProjectConfigBuilder {
            $0?.datafile = OldDatafile().data
            $0?.clientEngine = "tvos-sdk"
        }
        let config = try required(OPTLYProjectConfig(builder: builder))
        #expect(config.projectId == "12345678" && config.clientEngine == "tvos-sdk" && config.clientVersion == "3.1.5")
        #expect(OPTLYProjectConfigBuilder { _ in } == nil && OPTLYProjectConfig(builder: nil) == nil)
        let errors = Errors()
        let damaged = OPTLYProjectConfigBuilder {
            $0?.datafile = Data("{}".utf8)
            $0?.errorHandler = errors
            $0?.logger = Messages()
        }
        #expect(OPTLYProjectConfig(builder: damaged) == nil)
        #expect(errors.codes == [Int(OPTLYErrorTypes.datafileInvalid.rawValue)])
    }
}
