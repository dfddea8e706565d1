// swift-tools-version: 6.2
import PackageDescription

// Programs that use the modules of other libraries, compiled as Swift 5 and as Swift 6: closures, tasks, subclasses and
// services, where the modes differ. Documentation/API lists all declarations. They are never run, and only
// Scripts/prove compile-checks builds them. Both targets use the folder `Calls`.
let package = Package(
    name: "compile-checks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "turnout", path: "../../..")],
    targets: [
        .target(
            name: "Mode5", dependencies: [.product(name: "Optimizely", package: "turnout")],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(
            name: "Mode6", dependencies: [.product(name: "Optimizely", package: "turnout")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // The same for the interface of the Objective-C library; both targets use `ObjectiveCCalls`.
        .target(
            name: "ObjectiveC5", dependencies: [.product(name: "OptimizelySDKiOS", package: "turnout")],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(
            name: "ObjectiveC6", dependencies: [.product(name: "OptimizelySDKiOS", package: "turnout")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
