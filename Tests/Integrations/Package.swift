// swift-tools-version: 6.2
import PackageDescription

// Uses the integrations as a program of a user does. `Scripts/prove integrations` replaces the packages of others by
// the stubs in Stubs, or downloads them with `--real`.
let package = Package(
    name: "turnout-integrations", platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    dependencies: [
        .package(
            name: "turnout", path: "../..",
            traits: ["Configuration", "Curl", "Logging", "Metrics", "OpenFeature", "ServiceLifecycle", "Tracing"]),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.2.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.7.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.20.0"),
        .package(url: "https://github.com/swift-open-feature/swift-open-feature.git", branch: "main"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
        .package(url: "https://github.com/vapor/vapor.git", from: "4.110.0"),
    ],
    targets: [
        .testTarget(
            name: "PackageTests",
            dependencies: [
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"), .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "OpenFeature", package: "swift-open-feature"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "TurnoutClient", package: "turnout"),
                .product(name: "TurnoutConfiguration", package: "turnout"),
                .product(name: "TurnoutCurl", package: "turnout"), .product(name: "TurnoutLogging", package: "turnout"),
                .product(name: "TurnoutMetrics", package: "turnout"),
                .product(name: "TurnoutOpenFeature", package: "turnout"),
                .product(name: "TurnoutServiceLifecycle", package: "turnout"),
                .product(name: "TurnoutTracing", package: "turnout"),
            ],
            path: "Tests/Packages"),
        // Each framework in a target of its own: both have a `Request`.
        .testTarget(
            name: "HummingbirdTests",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "TurnoutClient", package: "turnout"),
                .product(name: "TurnoutServiceLifecycle", package: "turnout"),
                .product(name: "TurnoutTestKit", package: "turnout"),
            ],
            path: "Tests/Hummingbird"),
        .testTarget(
            name: "VaporTests",
            dependencies: [
                .product(name: "TurnoutClient", package: "turnout"),
                .product(name: "TurnoutTestKit", package: "turnout"),
                .product(name: "Vapor", package: "vapor"),
            ],
            path: "Tests/Vapor"),
    ],
    swiftLanguageModes: [.v6]
)
