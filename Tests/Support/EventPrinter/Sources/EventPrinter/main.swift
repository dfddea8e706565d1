import TurnoutClient

// Reads steps from standard input, one JSON object per line, and prints each request that a client would send, one JSON
// object per line. There is no network: requests end in memory.

var printer: (any EventPrinter)?
var number = 0
while let line = readLine() {
    number += 1
    switch try Step(parsing: line) {
    case .client(let setup): printer = setup.isOlder ? try OptimizelyPrinter(setup) : try ClientPrinter(setup)
    case .call(let call, let user):
        guard let printer else { throw StepError.missing("datafile") }
        await printer.play(call, for: user, as: number)
    }
}
