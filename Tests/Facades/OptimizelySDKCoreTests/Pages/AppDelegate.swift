// swift-format-ignore-file: NeverForceUnwrap

import OptimizelySDKiOS

/// The samples of the pages "Initialize SDK" and "Configure a user profile service", verbatim except for errors in
/// print: spaces before punctuation, joined lines, a missing closing bracket. Code before a sample defines what it
/// leaves open; code after it records the result. The compile checks build this file, too.
final class AppDelegate: NSObject {
    let datafileManagerDownloadInterval = 30
    let eventDispatcher: OPTLYEventDispatcherDefault?
    let jsonDatafile: Data?
    let variations = Collected<String?>()
    var datafileManager: OPTLYDatafileManagerDefault?

    init(jsonDatafile: Data? = nil, eventDispatcher: OPTLYEventDispatcherDefault? = nil) {
        self.jsonDatafile = jsonDatafile
        self.eventDispatcher = eventDispatcher
    }

    // MARK: Configure a user profile service

    func noOpUserProfileService() -> OPTLYManager? {
        let optimizelyManager = OPTLYManager.init {
            (builder) in
            builder!.projectId =
                "12345678"
            builder?.userProfileService =
                OPTLYUserProfileServiceNoOp.init()
        }

        optimizelyManager?.initialize(callback: {
            (err, client) in  // activate an experiment
            let variation = client?.activate("Test", userId: "user_test_1")
            NSLog((variation?.variationKey)!)
            self.variations.add(variation?.variationKey)
        })
        return optimizelyManager
    }

    // MARK: Initialize SDK

    func manager() -> OPTLYManager? {
        // Build a manager
        let optimizelyManager = OPTLYManager(
            builder: OPTLYManagerBuilder(block: { (builder) in
                builder?.sdkKey = "SDK_KEY_HERE"
            }))
        return optimizelyManager
    }

    func clients(of optimizelyManager: OPTLYManager?) {
        // Synchronously initialize the client, then activate an experiment
        let optimizelyClient: OPTLYClient? = optimizelyManager?.initialize(withDatafile: jsonDatafile!)
        let variation = optimizelyClient?.activate(
            "experimentKey",
            userId: "userId",
            attributes: nil)
        variations.add(variation?.variationKey)

        // Or, instantiate it asynchronously with a callback
        optimizelyManager?.initialize(callback: { [weak self] (error, optimizelyClient) in
            let variation = optimizelyClient?.activate(
                "experimentKey",
                userId: "userId",
                attributes: nil)
            self?.variations.add(variation?.variationKey)
        })
    }

    /// In Objective-C only on the page.
    func clientAtOnce(of manager: OPTLYManager?) {
        let client = manager?.initialize()
        let variation = client?.activate("experimentKey", userId: "userId", attributes: nil)
        variations.add(variation?.variationKey)
    }

    func client(of optimizelyManager: OPTLYManager?) -> OPTLYClient? {
        let optimizelyClient = optimizelyManager?.getOptimizely()
        return optimizelyClient
    }

    func pollingManager() -> OPTLYManager? {
        // ---- Create the Datafile Manager ----
        let datafileManager = OPTLYDatafileManagerDefault(
            builder: OPTLYDatafileManagerBuilder(block: { (builder) in
                builder!.datafileFetchInterval = TimeInterval(self.datafileManagerDownloadInterval)
                builder!.datafileConfig = OPTLYDatafileConfig(projectId: nil, withSDKKey: "SDK_KEY_HERE")!
            }))

        let builder = OPTLYManagerBuilder(block: { (builder) in
            builder!.projectId = nil
            builder!.sdkKey = "SDK_KEY_HERE"
            builder!.datafileManager = datafileManager!
            builder!.eventDispatcher = self.eventDispatcher
        })

        // ---- Create the Manager ----
        let optimizelyManager = OPTLYManager(builder: builder)
        self.datafileManager = datafileManager
        return optimizelyManager
    }

    func bundlingManager() -> OPTLYManager? {
        let manager = OPTLYManager(
            builder: OPTLYManagerBuilder(block: { (builder) in
                builder?.sdkKey = "SDK_KEY_HERE"
                // Load the datafile from the bundle
                let bundle = Bundle.init(for: self.classForCoder)
                let filePath = bundle.path(forResource: "datafileName", ofType: "json")
                var jsonDatafile: Data? = nil
                do {
                    jsonDatafile = try Data(contentsOf: URL(fileURLWithPath: filePath!), options: .mappedIfSafe)
                } catch {
                    print("Invalid JSON data")
                }
                // Set the datafile in the builder
                builder!.datafile = jsonDatafile
            }))
        return manager
    }
}
