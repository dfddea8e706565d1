import Foundation
import Optimizely

// A program as written for the vendor's SDK, in language mode 5, without any reference to Turnout.

let datafilePath = CommandLine.arguments.dropFirst().first ?? "../Shop/datafile.json"
guard let datafileJSON = try? String(contentsOfFile: datafilePath, encoding: .utf8) else {
    print("shop-app: \(datafilePath): cannot be read; pass the path of a datafile")
    exit(1)
}

let profiles = ShopProfileService()
let dispatcher = ShopEventDispatcher()
let optimizely = OptimizelyClient(
    sdkKey: "<Your_SDK_Key>",
    logger: ShopLogger(),
    eventDispatcher: dispatcher,
    datafileHandler: ShopDatafileHandler(path: datafilePath),
    userProfileService: profiles,
    periodicDownloadInterval: 5 * 60,
    defaultLogLevel: .warning,
    defaultDecideOptions: [.includeReasons])

addListeners(to: optimizely)

section("Synchronous start")
startSynchronously(optimizely, datafileJSON: datafileJSON)

section("Asynchronous start")
startAsynchronously(optimizely)
await startInATask(optimizely)

section("Decisions")
let user = optimizely.createUserContext(userId: "ada", attributes: ["country": "US", "orders": 12, "cart_total": 42.5])
decide(user)
force(user)
track(user)

section("The project")
try list(optimizely)

optimizely.close()

section("What listeners heard")
heard.print()
section("What was sent, and remembered")
print("impressions: \(dispatcher.impressions), conversions: \(dispatcher.conversions)")
profiles.print()
