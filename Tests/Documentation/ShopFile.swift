import Foundation

/// The root of the repository, three folders above this file.
let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

/// The datafile of the example shop, which the pages use.
let shop = (try? Data(contentsOf: repository.appending(path: "Examples/Shop/datafile.json"))).map { [UInt8]($0) } ?? []
