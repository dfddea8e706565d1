// swift-tools-version: 6.2
import PackageDescription

// In your own package, the dependency is the repository's URL:
//   .package(url: "<the address of this repository>", branch: "main", traits: …)
let package = Package(
    name: "shop-server",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "turnout", path: "../..", traits: ["Curl", "SQLite"])],
    targets: [
        .executableTarget(
            name: "shop-server",
            dependencies: [
                "CLibmicrohttpd",
                .product(name: "TurnoutClient", package: "turnout"),
                .product(name: "TurnoutCurl", package: "turnout"),
                .product(name: "TurnoutRedis", package: "turnout"),
                .product(name: "TurnoutSQLite", package: "turnout"),
            ],
            path: "Sources/ShopServer"),
        .systemLibrary(
            name: "CLibmicrohttpd", path: "Sources/CLibmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
    ],
    swiftLanguageModes: [.v6]
)
