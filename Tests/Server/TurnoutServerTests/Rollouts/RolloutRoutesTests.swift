#if Server
    import Foundation
    import Testing
    import TurnoutClient
    import TurnoutEngine
    import TurnoutFlags
    import TurnoutRollouts
    import TurnoutServer

    /// Configurations for RolloutManager over HTTP.
    @Suite("Configurations for RolloutManager") struct RolloutRoutesTests {
        private static let first = #"{"exp": {"Variants": {"a": 1}}}"#
        private static let second = #"{"exp": {"Variants": {"b": 1}, "Settings": {"sticky": true}}}"#

        @Test func aConfigurationIsPutReadAndDeleted() async throws {
            let shop = try PlatformServer()
            #expect(await shop.response("GET", "/rollouts/app.plist").status == 404)
            let put = await shop.response("PUT", "/rollouts/app.plist", body: Self.first)
            #expect(put.text == "{\"experiments\":1,\"warnings\":[]}\n")
            let found = await shop.response("GET", "/rollouts/app.plist")
            #expect(found.status == 200 && found.text == Self.first)
            #expect(found.headers["Content-Type"] == "application/json")
            let tag = try #require(found.headers["ETag"])
            #expect(
                await shop.response("GET", "/rollouts/app.plist", ["If-None-Match": tag]).status == 304)
            let date = try #require(found.headers["Last-Modified"])
            #expect(
                await shop.response("GET", "/rollouts/app.plist", ["If-Modified-Since": date]).status == 304
            )

            let changed = await shop.response("PUT", "/rollouts/app.plist", body: Self.second)
            #expect(try changed.json["warnings"] != .array([]))
            let newer = await shop.response("GET", "/rollouts/app.plist", ["If-Modified-Since": date])
            #expect(newer.status == 200 && newer.headers["Last-Modified"] != date)
            #expect(await shop.response("DELETE", "/rollouts/app.plist").status == 204)
            #expect(await shop.response("DELETE", "/rollouts/app.plist").status == 404)
            let time: HeaderFields = ["If-Modified-Since": newer.headers["Last-Modified"] ?? ""]
            _ = await shop.response("PUT", "/rollouts/app.plist", body: Self.first)
            #expect(await shop.response("GET", "/rollouts/app.plist", time).status == 200)
        }

        /// Of two requests at once, the file and the answers keep the same one.
        @Test func requestsAtOnceLeaveOneOfThem() async throws {
            let file = Locked<[UInt8]?>(nil)
            let shop = try PlatformServer(saveRollout: { _, bytes in
                file.withLock { $0 = bytes }
                // The first request is slow between the file and the answers.
                if bytes == Array(Self.first.utf8) { usleep(2_000) }
            })
            for _ in 0..<20 {
                async let slow = shop.response("PUT", "/rollouts/app.plist", body: Self.first)
                async let fast = shop.response("PUT", "/rollouts/app.plist", body: Self.second)
                let statuses = await [slow.status, fast.status]
                #expect(statuses == [200, 200])
                let served = await shop.response("GET", "/rollouts/app.plist").text
                #expect(file.withLock { $0 } == Array(served.utf8))
            }
        }

        @Test func aProjectFileDefinesConfigurations() async throws {
            let shop = try PlatformServer()
            _ = await shop.response("PUT", "/rollouts/app.plist", body: Self.first)
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
            #expect(await shop.response("PUT", "/rollouts/app.plist", body: Self.second).status == 409)
            #expect(await shop.response("DELETE", "/rollouts/app/5.2.plist").status == 409)
            #expect(await shop.response("GET", "/rollouts").text.contains("\"version\":\"5.2\""))

            // The same content keeps its tag; without the definition the file that was put there is served again.
            shop.server.rollouts.define(configuration.documents, by: "flags.yaml")
            #expect(await shop.response("GET", "/rollouts/app.plist", ["If-None-Match": tag]).status == 304)
            shop.server.rollouts.define([:], by: "flags.yaml")
            #expect(await shop.response("GET", "/rollouts/app.plist").text == Self.first)
        }

        @Test func theTimeNeverGoesBack() async throws {
            let shop = try PlatformServer()
            let defined = AuthoredConfiguration(key: "app", experiments: [.init(key: "c", variants: [("x", 100)])])
            _ = await shop.response("PUT", "/rollouts/app.plist", body: Self.first)
            _ = await shop.response("PUT", "/rollouts/app/5.2.plist", body: Self.second)
            var date = try #require(await shop.response("GET", "/rollouts/app.plist").headers["Last-Modified"])
            func isNew(_ path: String) async -> Bool {
                let response = await shop.response("GET", path, ["If-Modified-Since": date])
                defer { date = response.headers["Last-Modified"] ?? date }
                return response.status == 200
            }
            shop.server.rollouts.define(defined.documents, by: "flags.yaml")
            #expect(await isNew("/rollouts/app.plist"))
            // What was put there is served again, and was put there before.
            shop.server.rollouts.define([:], by: "flags.yaml")
            #expect(await isNew("/rollouts/app.plist"))
            #expect(await !isNew("/rollouts/app.plist"))
            // So is the one for all versions.
            _ = await shop.response("PUT", "/rollouts/app/5.2.plist", body: Self.first + "\n")
            _ = await shop.response("PUT", "/rollouts/app/5.2.plist", body: Self.second)
            _ = await shop.response("PUT", "/rollouts/app/5.2.plist", body: Self.second + "\n")
            #expect(await isNew("/rollouts/app/5.2.plist"))
            #expect(await shop.response("DELETE", "/rollouts/app/5.2.plist").status == 204)
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
            _ = await shop.response("PUT", "/rollouts/app.plist", body: Self.first)
            _ = await shop.response("PUT", "/rollouts/app/5.2.plist", body: Self.second)
            #expect(await shop.response("GET", "/rollouts/app/5.2.plist").text == Self.second)
            #expect(await shop.response("GET", "/rollouts/app/5.1.plist").text == Self.first)
            #expect(await shop.response("DELETE", "/rollouts/app/5.1.plist").status == 404)
            #expect(
                await shop.response("GET", "/rollouts").text
                    == "{\"configurations\":[{\"name\":\"app\"},{\"name\":\"app\",\"version\":\"5.2\"}]}\n")
        }

        @Test(arguments: [
            ("app.plist", "[]", "expected a dictionary"), ("app.plist", "", ""),
            ("app.plist", "<plist>", ""),
            ("%2E%2E.plist", "{}", "names and versions"), ("a%2Fb.plist", "{}", "names and versions"),
            ("app/.x.plist", "{}", "names and versions"), ("\u{E9}.plist", "{}", "names and versions"),
        ])
        func whatIsWrongIsRefused(path: String, body: String, message: String) async throws {
            let shop = try PlatformServer()
            let response = await shop.response("PUT", "/rollouts/" + path, body: body)
            #expect(response.status == 400)
            #expect(message.isEmpty || response.text.contains(message))
            #expect(shop.server.rollouts.keys.isEmpty)
        }

        @Test func propertyListsKeepTheirType() async throws {
            let shop = try PlatformServer()
            let list = """
                <?xml version="1.0"?><plist version="1.0"><dict><key>exp</key><dict><key>Variants</key>
                <dict><key>a</key><integer>1</integer></dict></dict></dict></plist>
                """
            #expect(await shop.response("PUT", "/rollouts/app.plist", body: list).status == 200)
            let found = await shop.response("GET", "/rollouts/app.plist")
            #expect(found.headers["Content-Type"] == "application/x-plist" && found.text == list)
        }
    }
#endif
