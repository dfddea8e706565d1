// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "swift-log", platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "Logging", targets: ["Logging"])], targets: [.target(name: "Logging")])
