import TurnoutClient
import TurnoutCurl
import TurnoutSQLite

// A program as it starts on a server: files and network at hand, a cached datafile, one decision. It is timed from
// outside.
//
//   StartProbe DIRECTORY FLAG       decide by the datafile that is cached there
//   StartProbe DIRECTORY FLAG FILE  cache a datafile first

let arguments = CommandLine.arguments
// That of the generated datafiles.
let sdkKey = "benchmark_sdk_key"
let storage = try SQLiteStorage(directory: arguments[1])
if arguments.count > 3, let file = InputFile(arguments[3]) {
    try storage.datafiles.keep(DatafileCopy(datafile: file.bytes), for: sdkKey)
}
var configuration = ClientConfiguration()
configuration.keep(in: storage)
configuration.transport = .curl
configuration.datafiles = .http(sdkKey: sdkKey, transport: .curl, cache: storage.datafiles)
let client = Client(configuration)
try client.startAtOnce(refreshing: false)
let decision = client.decide(arguments[2], for: User("user_1", attributes: ["country": "US"]))
print(decision.flagKey, decision.variation?.key ?? "no variation")
