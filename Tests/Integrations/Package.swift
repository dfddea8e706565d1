// swift-tools-version: 6.2
import PackageDescription

// Uses the integrations as a program of a user does. `Scripts/integrations` replaces the packages of others by the
// stubs in Stubs, or downloads them with `--real`.
let package = Package(
    name: "turnout-integrations",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    dependencies: [
        .package(
            name: "turnout", path: "../..",
            traits: ["Logging"]),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    ],
    targets: [
        .testTarget(
            name: "PackageTests",
            dependencies: [
                .product(name: "Logging", package: "swift-log"),
                .product(name: "TurnoutClient", package: "turnout"),
                .product(name: "TurnoutLogging", package: "turnout"),
            ],
            path: "Tests/Packages"),
    ],
    swiftLanguageModes: [.v6]
)
