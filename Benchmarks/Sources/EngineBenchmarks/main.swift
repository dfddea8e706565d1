import Foundation

let usage = """
    usage: EngineBenchmarks                          measure everything, write RESULTS.md and results.json
           EngineBenchmarks --gate                   count, and compare with counts.json
           EngineBenchmarks --record                 count, and write counts.json
           EngineBenchmarks perform WORK N DATAFILE  do some work N times, for profilers
           EngineBenchmarks time DATAFILE            time each kind of work on one datafile
           EngineBenchmarks threads DATAFILE WORK …  measure works, or all of them, with 1, 2 and 16 threads
           EngineBenchmarks events                   measure what keeping events and starting cost
           EngineBenchmarks impact                   measure what comparing ten million users costs
           EngineBenchmarks stores                   measure what remembering assignments costs
           EngineBenchmarks --soak [N]               decide N million times (10), and fail if the memory grows
           EngineBenchmarks datafile N               print the generated datafile of N flags
           EngineBenchmarks cold-load FILE           load a file and print what that cost
    To be run in the folder of the repository; Scripts/bench builds what is needed and does that.
    """

let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, arguments.count) {
case (nil, 0):
    try FullReport.write()
case ("--gate", 1):
    exit(try Gate.check() ? 0 : 1)
case ("--record", 1):
    try Gate.record()
case ("perform", 4):
    guard let work = Work(rawValue: arguments[1]) else { endWithUsage() }
    try work.repeated(on: .named(arguments[3]))?(number(arguments[2]))
case ("time", 2):
    try FullReport.time(.named(arguments[1]))
case ("threads", 2...):
    try FullReport.threads(
        .named(arguments[1]), arguments.count == 2 ? Work.allCases : arguments[2...].compactMap(Work.init))
case ("events", 1):
    try FullReport.events()
case ("impact", 1):
    try FullReport.impact()
case ("stores", 1):
    try FullReport.stores()
case ("--soak", 1):
    exit(try Soak.run(millions: 10) ? 0 : 1)
case ("--soak", 2):
    exit(try Soak.run(millions: number(arguments[1])) ? 0 : 1)
case ("datafile", 2):
    FileHandle.standardOutput.write(Data(DatafileGenerator.datafile(flags: number(arguments[1]))))
case ("cold-load", 2):
    let cost = try JSONEncoder().encode(ColdLoad.measure(arguments[1]))
    FileHandle.standardOutput.write(cost)
default:
    endWithUsage()
}

func endWithUsage() -> Never {
    FileHandle.standardError.write(Data("\(usage)\n".utf8))
    exit(2)
}

/// Parses a positive number.
func number(_ text: String) -> Int {
    guard let number = Int(text), number > 0 else { endWithUsage() }
    return number
}
