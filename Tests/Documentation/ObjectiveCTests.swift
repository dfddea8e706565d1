import Foundation
import Optimizely
import OptimizelySDKiOS
import Testing
import TurnoutClient

/// The code of the page "Coming from the Objective-C SDK", in a program without a network.
@Suite struct ObjectiveCTests {
    @Test func theOldCallsDecide() throws {
        let bundledDatafile = Data(shop)
        let (manager, variation) = World.$chosen.withValue(World()) {
            let manager = OPTLYManager(
                builder: OPTLYManagerBuilder(block: { builder in
                    builder?.sdkKey = "SDK_KEY_HERE"
                    builder?.datafile = bundledDatafile
                }))
            let client = manager?.initialize()
            let ada: [String: Any] = ["country": "US", "orders": 12]
            let variation = client?.activate("checkout_test", userId: "ada", attributes: ada)
            client?.track("purchase", userId: "ada", eventTags: ["revenue": 4250])
            return (manager, variation)
        }
        #expect(variation?.variationKey == "one_page")
        #expect(manager?.getOptimizely()?.optimizely != nil)
    }
}
