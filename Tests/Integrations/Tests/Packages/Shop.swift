import Foundation
import TurnoutClient

/// The datafile of the example shop, which the pages use.
let shop: [UInt8] = {
    // This file is four folders below the root of the repository.
    var root = URL(filePath: #filePath)
    for _ in 0..<5 { root.deleteLastPathComponent() }
    return (try? Data(contentsOf: root.appending(path: "Examples/Shop/datafile.json"))).map { [UInt8]($0) } ?? []
}()

/// The attributes with which the user `ada` gets the variation `one_page`.
let adasAttributes: Attributes = ["country": "US", "orders": 12, "cart_total": 42.5]

extension ClientConfiguration {
    /// Without a log and a network.
    static var quiet: ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.log = .silent
        return configuration
    }
}
