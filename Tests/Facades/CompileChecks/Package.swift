// swift-tools-version: 6.2
import PackageDescription

// What programs write that use the modules of other libraries, built as Swift 5 and as Swift 6. Nothing of it is ever
// run, and nothing else builds it: see Scripts/compile-checks. Both targets are the same folder, `Calls`.
let package = Package(
    name: "compile-checks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "turnout", path: "../../..")],
    targets: [
        .target(
            name: "Mode5",
            dependencies: [
                .product(name: "Optimizely", package: "turnout"), .product(name: "RolloutManager", package: "turnout"),
            ],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(
            name: "Mode6",
            dependencies: [
                .product(name: "Optimizely", package: "turnout"), .product(name: "RolloutManager", package: "turnout"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // The same for programs that use the interface of the Objective-C library; both are `ObjectiveCCalls`.
        .target(
            name: "ObjectiveC5", dependencies: [.product(name: "OptimizelySDKiOS", package: "turnout")],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(
            name: "ObjectiveC6", dependencies: [.product(name: "OptimizelySDKiOS", package: "turnout")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
