import Foundation
import TurnoutClient

// The build reads the datafile beside this file for the names and types of the flags. At run time, the values come from
// the datafile that the client has, here the one that the command line names.
guard CommandLine.arguments.count == 2 else {
    print("usage: typed-flags DATAFILE")
    exit(2)
}
let flags: Flags
do { flags = Flags(try FlagClient(datafileAt: CommandLine.arguments[1])) } catch {
    print("typed-flags: \(error)")
    exit(1)
}

func show(_ checkout: Flags.CheckoutRedesign, to user: UserContext) {
    switch checkout.variation {
    case .onePage: print("\(user.id): everything on one page, \(checkout.layout)")
    case .twoStep, .control: print("\(user.id): \(checkout.steps) steps, \(checkout.layout)")
    case nil: print("\(user.id): the checkout as before, \(checkout.decision.stage)")
    }
}

for (id, country) in [("ada", "US"), ("olga", "US"), ("linus", "FI")] {
    let user = flags.client.user(id, attributes: ["country": .string(country), "orders": 12])
    show(flags.checkoutRedesign(for: user), to: user)

    let shipping = flags.freeShipping(for: user)
    if shipping.isEnabled {
        print("\(id): free shipping from \(shipping.minimumCart)")
    }
}
