import TurnoutClient
import TurnoutCurl
import TurnoutSQLite

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

// A program that starts as on a server: with files, a network transport, a cached datafile, one decision, and a
// concurrent request for a newer datafile. It is timed from outside.
//
//   StartProbe DIRECTORY FLAG       decide with the datafile cached there
//   StartProbe DIRECTORY FLAG FILE  cache a datafile first

let arguments = CommandLine.arguments
// The SDK key of the generated datafiles.
let sdkKey = "benchmark_sdk_key"
let storage = try SQLiteStorage(directory: arguments[1])
if arguments.count > 3, let file = InputFile(arguments[3]) {
    try storage.datafiles.keep(DatafileCopy(datafile: file.bytes), for: sdkKey)
}
var configuration = ClientConfiguration()
configuration.keep(in: storage)
configuration.transport = .curl
var source = HTTPDatafileOptions()
// Connections to this port are refused.
let nowhere = "https://127.0.0.1:9/"
source.address = nowhere
configuration.events.endpoints.us = nowhere
configuration.events.endpoints.eu = nowhere
source.log = .silent
configuration.log = .silent
configuration.datafiles = .http(sdkKey: sdkKey, transport: .curl, cache: storage.datafiles, options: source)
let client = FlagClient(configuration)
try client.startFromCacheOrBundle()
let decision = client.decide(arguments[2], for: User("user_1", attributes: ["country": "US"]))
print(decision.flagKey, decision.variation?.key ?? "no variation")
// The first decision is timed, not the end of background work.
fflush(nil)
_exit(0)
