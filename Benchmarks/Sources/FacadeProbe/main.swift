import Foundation
import Optimizely

// A program that starts the drop-in interface and makes one decision. Its size is measured.
//
//   FacadeProbe DATAFILE FLAG

let arguments = CommandLine.arguments
let client = OptimizelyClient(sdkKey: "benchmark_sdk_key", defaultDecideOptions: [.disableDecisionEvent])
try client.start(datafile: Data(contentsOf: URL(filePath: arguments[1])), doFetchDatafileBackground: false)
let decision = client.createUserContext(userId: "user_1", attributes: ["country": "US"]).decide(key: arguments[2])
print(decision.flagKey, decision.variationKey ?? "no variation")
