import TestSupport
import TurnoutFlags
import TurnoutRollouts
import TurnoutServer

/// Configurations for RolloutManager over HTTP.
@Suite("Configurations for RolloutManager") struct RolloutRoutesTests {
    private static let first = #"{"exp": {"Variants": {"a": 1}}}"#
    private static let second = #"{"exp": {"Variants": {"b": 1}, "Settings": {"sticky": true}}}"#

    private func publish(_ text: String, _ shop: PlatformServer, version: String? = nil) throws {
        try shop.server.rollouts.publish(
            Array(text.utf8), for: RolloutKey(name: "app", version: version), from: "app.plist")
    }

    @Test func aFileIsServedUntilItIsGone() async throws {
        let shop = try PlatformServer()
        #expect(await shop.response("GET", "/rollouts/app.plist").status == 404)
        try publish(Self.first, shop)
        let found = await shop.response("GET", "/rollouts/app.plist")
        #expect(found.status == 200 && found.text == Self.first)
        #expect(found.headers["Content-Type"] == "application/json")
        let tag = try #require(found.headers["ETag"])
        #expect(await shop.response("GET", "/rollouts/app.plist", ["If-None-Match": tag]).status == 304)
        let date = try #require(found.headers["Last-Modified"])
        #expect(await shop.response("GET", "/rollouts/app.plist", ["If-Modified-Since": date]).status == 304)

        try publish(Self.second, shop)
        let newer = await shop.response("GET", "/rollouts/app.plist", ["If-Modified-Since": date])
        #expect(newer.status == 200 && newer.headers["Last-Modified"] != date)
        shop.server.rollouts.remove(RolloutKey(name: "app"))
        #expect(await shop.response("GET", "/rollouts/app.plist").status == 404)
        let time: HeaderFields = ["If-Modified-Since": newer.headers["Last-Modified"] ?? ""]
        try publish(Self.first, shop)
        #expect(await shop.response("GET", "/rollouts/app.plist", time).status == 200)
    }

    @Test(arguments: ["PUT", "POST", "DELETE"]) func nothingIsChangedOverHTTP(method: String) async throws {
        let shop = try PlatformServer()
        try publish(Self.first, shop)
        let response = await shop.response(method, "/rollouts/app.plist", body: Self.second)
        #expect(response.status == 405 && response.headers["Allow"] == "GET")
        #expect(await shop.response("GET", "/rollouts/app.plist").text == Self.first)
    }

    @Test func aProjectFileDefinesConfigurations() async throws {
        let shop = try PlatformServer()
        try publish(Self.first, shop)
        var experiment = AuthoredConfiguration.Experiment(
            key: "a<b", variants: [("on \u{26} off", 7_000), ("half", 50)])
        (experiment.isSticky, experiment.countries, experiment.languages) = (true, ["US", "IL"], ["en"])
        var configuration = AuthoredConfiguration(key: "app", experiments: [experiment])
        configuration.versions = [.init(key: "5.2", experiments: [.init(key: "c", variants: [("x", 100)])])]
        shop.server.rollouts.define(configuration.documents, by: "flags.yaml")

        let found = await shop.response("GET", "/rollouts/app.plist")
        #expect(found.status == 200 && found.headers["Content-Type"] == "application/x-plist")
        let tag = try #require(found.headers["ETag"])
        #expect(await shop.response("GET", "/rollouts/app.plist", ["If-None-Match": tag]).status == 304)
        let read = try RolloutConfiguration(contents: Array(found.text.utf8))
        let same = #"""
            {"a<b": {"Settings": {"is_sticky": true, "supported_countries": "US,IL", "supported_languages": "en"},
                     "Variants": {"on & off": 70, "half": 0.5}}}
            """#
        #expect(try read == RolloutConfiguration(contents: Array(same.utf8)))
        #expect(await shop.response("GET", "/rollouts/app/5.2.plist").text.contains("<key>c</key>"))
        #expect(await shop.response("GET", "/rollouts/app/5.1.plist").text == found.text)
        #expect(await shop.response("GET", "/rollouts").text.contains("\"version\":\"5.2\""))

        // The same content keeps its tag; without the definition the file is served again.
        shop.server.rollouts.define(configuration.documents, by: "flags.yaml")
        #expect(await shop.response("GET", "/rollouts/app.plist", ["If-None-Match": tag]).status == 304)
        shop.server.rollouts.define([:], by: "flags.yaml")
        #expect(await shop.response("GET", "/rollouts/app.plist").text == Self.first)
    }

    @Test func theTimeNeverGoesBack() async throws {
        let shop = try PlatformServer()
        let defined = AuthoredConfiguration(key: "app", experiments: [.init(key: "c", variants: [("x", 100)])])
        try publish(Self.first, shop)
        try publish(Self.second, shop, version: "5.2")
        var date = try #require(await shop.response("GET", "/rollouts/app.plist").headers["Last-Modified"])
        func isNew(_ path: String) async -> Bool {
            let response = await shop.response("GET", path, ["If-Modified-Since": date])
            defer { date = response.headers["Last-Modified"] ?? date }
            return response.status == 200
        }
        shop.server.rollouts.define(defined.documents, by: "flags.yaml")
        #expect(await isNew("/rollouts/app.plist"))
        // The file is served again, and was there before.
        shop.server.rollouts.define([:], by: "flags.yaml")
        #expect(await isNew("/rollouts/app.plist"))
        #expect(await !isNew("/rollouts/app.plist"))
        // So is the one for all versions.
        try publish(Self.first + "\n", shop, version: "5.2")
        try publish(Self.second, shop, version: "5.2")
        try publish(Self.second + "\n", shop, version: "5.2")
        #expect(await isNew("/rollouts/app/5.2.plist"))
        shop.server.rollouts.remove(RolloutKey(name: "app", version: "5.2"))
        #expect(await isNew("/rollouts/app/5.2.plist"))
    }

    @Test func mistakesInAProjectFileAreLogged() throws {
        let shop = try PlatformServer()
        var experiment = AuthoredConfiguration.Experiment(key: "none", variants: [("x", 0)])
        experiment.countries = ["Atlantis"]
        let configuration = AuthoredConfiguration(key: "app", experiments: [experiment])
        for _ in 0..<2 { shop.server.rollouts.define(configuration.documents, by: "flags.yaml") }
        let warnings = try RolloutConfiguration(contents: #require(configuration.documents.values.first)).warnings
        #expect(!warnings.isEmpty)
        let lines = shop.log.all.filter { $0.contains("flags.yaml: configuration app, experiment") }
        #expect(lines.count == warnings.count)
    }

    @Test func aVersionMayHaveItsOwn() async throws {
        let shop = try PlatformServer()
        try publish(Self.first, shop)
        try publish(Self.second, shop, version: "5.2")
        #expect(await shop.response("GET", "/rollouts/app/5.2.plist").text == Self.second)
        #expect(await shop.response("GET", "/rollouts/app/5.1.plist").text == Self.first)
        #expect(
            await shop.response("GET", "/rollouts").text
                == "{\"configurations\":[{\"name\":\"app\"},{\"name\":\"app\",\"version\":\"5.2\"}]}\n")
    }

    @Test(arguments: ["[]", "", "<plist>"]) func whatIsWrongReplacesNothing(content: String) async throws {
        let shop = try PlatformServer()
        try publish(Self.first, shop)
        #expect(throws: RolloutConfigurationError.self) { try publish(content, shop) }
        #expect(await shop.response("GET", "/rollouts/app.plist").text == Self.first)
    }

    @Test func mistakesInAFileAreLoggedOnce() throws {
        let shop = try PlatformServer()
        for _ in 0..<2 { try publish(Self.second, shop) }
        let warnings = try RolloutConfiguration(contents: Array(Self.second.utf8)).warnings
        #expect(!warnings.isEmpty)
        #expect(shop.log.all.count { $0.contains("app.plist: ") } == warnings.count)
    }

    @Test func propertyListsKeepTheirType() async throws {
        let shop = try PlatformServer()
        let list = """
            <?xml version="1.0"?><plist version="1.0"><dict><key>exp</key><dict><key>Variants</key>
            <dict><key>a</key><integer>1</integer></dict></dict></dict></plist>
            """
        try publish(list, shop)
        let found = await shop.response("GET", "/rollouts/app.plist")
        #expect(found.headers["Content-Type"] == "application/x-plist" && found.text == list)
    }
}
