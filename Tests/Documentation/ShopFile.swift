import Foundation

/// The datafile of the example shop, which the pages use.
let shop: [UInt8] = {
    // This file is two folders below the root of the repository.
    var root = URL(filePath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    return (try? Data(contentsOf: root.appending(path: "Examples/Shop/datafile.json"))).map { [UInt8]($0) } ?? []
}()
