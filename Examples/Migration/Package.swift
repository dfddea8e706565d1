// swift-tools-version: 5.9
import PackageDescription

let package = Package(
    name: "shop-app",
    platforms: [.macOS("15.0")],
    dependencies: [
        // Was: .package(url: "https://github.com/optimizely/swift-sdk.git", from: "5.4.2")
        .package(name: "turnout", path: "../..")
    ],
    targets: [
        // Was: .product(name: "Optimizely", package: "swift-sdk")
        .executableTarget(
            name: "shop-app", dependencies: [.product(name: "Optimizely", package: "turnout")],
            path: "Sources/ShopApp")
    ]
)
