// swift-format-ignore-file
import OptimizelySDKiOS

// The Swift samples of the pages "Initialize SDK" and "Configure a user profile service", repaired where the print is
// damaged. `use` is there because a value that nobody uses is a warning.

func use(_ value: Any?) {}

class AppDelegate: NSObject {
    var datafileManagerDownloadInterval = 120
    var eventDispatcher: OPTLYEventDispatcherDefault?
    var jsonDatafile: Data?
    var optimizelyClient: OPTLYClient?

    func noOpUserProfileService() {
        let optimizelyManager = OPTLYManager.init {
            (builder) in builder!.projectId =
            "12345678"
            builder?.userProfileService =
            OPTLYUserProfileServiceNoOp.init ()
        }

        optimizelyManager?.initialize (callback : {
            (err, client) in // activate an experiment
            let variation = client?.activate("Test", userId: "user_test_1")
            NSLog((variation?.variationKey)!)
        })
    }

    func start() {
        // Build a manager
        let optimizelyManager = OPTLYManager(builder: OPTLYManagerBuilder(block: { (builder) in
                    builder?.sdkKey = "SDK_KEY_HERE"
                }))
        // Synchronously initialize the client, then activate an experiment
        let optimizelyClient : OPTLYClient? = optimizelyManager?.initialize(withDatafile:jsonDatafile!)
        let variation = optimizelyClient?.activate("experimentKey",
                                                   userId:"userId",
                                                   attributes:nil)
        use(variation)

        // Or, instantiate it asynchronously with a callback
        optimizelyManager?.initialize(callback: { [weak self] (error, optimizelyClient) in
          let variation = optimizelyClient?.activate("experimentKey",
                                                     userId:"userId",
                                                     attributes:nil)
          use(variation)
          self?.optimizelyClient = optimizelyClient
        })
    }

    func getClient(_ optimizelyManager: OPTLYManager?) {
        let optimizelyClient = optimizelyManager?.getOptimizely();
        use(optimizelyClient)
    }

    func poll() {
        // ---- Create the Datafile Manager ----
        let datafileManager = OPTLYDatafileManagerDefault(builder: OPTLYDatafileManagerBuilder(block: { (builder) in
          builder!.datafileFetchInterval =   TimeInterval(self.datafileManagerDownloadInterval)
          builder!.datafileConfig = OPTLYDatafileConfig(projectId: nil, withSDKKey:"SDK_KEY_HERE")!;
        }))

        let builder = OPTLYManagerBuilder(block: { (builder) in
          builder!.projectId = nil;
          builder!.sdkKey = "SDK_KEY_HERE"
          builder!.datafileManager = datafileManager!
          builder!.eventDispatcher = self.eventDispatcher
        })

        // ---- Create the Manager ----
        let optimizelyManager = OPTLYManager(builder: builder)
        use(optimizelyManager)
    }

    func bundle() {
        let manager = OPTLYManager(builder: OPTLYManagerBuilder(block: { (builder) in
          builder?.sdkKey = "SDK_KEY_HERE"
          // Load the datafile from the bundle
          let bundle = Bundle.init(for: self.classForCoder)
          let filePath = bundle.path(forResource: "datafileName", ofType: "json")
          var jsonDatafile: Data? = nil
          do {
            jsonDatafile = try Data(contentsOf: URL(fileURLWithPath: filePath!), options: .mappedIfSafe)
          }
          catch {
            print("Invalid JSON data")
          }
          // Set the datafile in the builder
          builder!.datafile = jsonDatafile
        }))
        use(manager)
    }
}
