// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "vapor", platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "Vapor", targets: ["Vapor"])],
    dependencies: [.package(url: "https://github.com/apple/swift-log.git", from: "1.8.0")],
    targets: [.target(name: "Vapor", dependencies: [.product(name: "Logging", package: "swift-log")])])
