#if Curl && os(Linux)
    import Foundation
    import LoopbackServer
    import Optimizely
    import TestSupport
    import TurnoutCurl

    func makeLocalClient(port: Int) -> FlagClient {
        let server = "http://127.0.0.1:\(port)"
        var configuration = ClientConfiguration()
        configuration.transport = .curl

        var datafiles = HTTPDatafileOptions()
        datafiles.address = "\(server)/datafiles/{sdkKey}.json"
        configuration.datafiles = .http(sdkKey: "local", transport: .curl, options: datafiles)
        configuration.pollingInterval = .seconds(1)
        configuration.minimumPollingInterval = .seconds(1)

        configuration.events.endpoints.us = "\(server)/v1/events"
        configuration.events.endpoints.eu = "\(server)/v1/events"
        configuration.events.interval = .zero
        return FlagClient(configuration)
    }

    func makeLocalOptimizely(port: Int) -> OptimizelyClient {
        let server = "http://127.0.0.1:\(port)"
        let handler = DefaultDatafileHandler()
        handler.endPointStringFormat = "\(server)/datafiles/%@.json"
        handler.minimumPollingInterval = 1
        let settings = OptimizelySdkSettings(
            eventEndpoint: "\(server)/v1/events", euEventEndpoint: "\(server)/v1/events")
        return OptimizelyClient(
            sdkKey: "local", datafileHandler: handler, periodicDownloadInterval: 1, settings: settings)
    }

    /// The code of "Clients of your server" reaches a server on this machine, which gets the payload that the page
    /// shows.
    @Suite struct LocalhostPageTests {
        private let server: LoopbackServer

        init() throws {
            server = try LoopbackServer()
            let datafile = String(decoding: shop, as: UTF8.self).replacing("ShopDemoSdkKey", with: "local")
            try server.always(.body(Array(datafile.utf8)), to: "/datafiles/local.json")
        }

        @Test func theClientDecidesAndReports() async throws {
            let client = makeLocalClient(port: Int(server.port))
            try await client.start()
            let ada = client.user("ada", attributes: ["country": "US", "orders": 12])
            #expect(ada.decide("checkout_redesign").variationKey == "one_page")

            let request = try #require(try await server.requests(to: "/v1/events", atLeast: 1).first)
            await client.close()

            #expect(request.headers["content-type"] == "application/json")
            let (sent, shown) = (try JSONSerialization.jsonObject(with: request.body), try payloadOfThePage())
            #expect(members(of: sent) == members(of: shown))
        }

        @Test func theDropInDecidesAndReports() async throws {
            var environment = HostEnvironment()
            environment.transport = CurlTransport()
            let client = HostEnvironment.$override.withValue(environment) {
                makeLocalOptimizely(port: Int(server.port))
            }
            try await client.start()
            let user = client.createUserContext(userId: "ada", attributes: ["country": "US", "orders": 12])
            #expect(user.decide(key: "checkout_redesign").variationKey == "one_page")
            client.close()
            #expect(try await server.requests(to: "/v1/events", atLeast: 1).count >= 1)
        }

        @Test func authoritiesCanBeGiven() {
            var options = TransportOptions()
            options.certificateAuthorityFile = "/etc/ssl/our-authority.pem"
            let transport = CurlTransport(options)
            withExtendedLifetime(transport) {}
        }

        /// The payload on the page.
        private func payloadOfThePage() throws -> Any {
            let page = "Documentation/Guides/ClientsOfYourServer.md"
            let text = try String(contentsOf: repository.appending(path: page), encoding: .utf8)
            let block = text.split(separator: "```json\n").dropFirst().first?.split(separator: "```").first
            return try JSONSerialization.jsonObject(with: Data(try #require(block).utf8))
        }

        /// The names of all members of a value, as paths.
        private func members(of value: Any, at path: String = "") -> Set<String> {
            switch value {
            case let object as [String: Any]:
                object.reduce(into: [path]) { $0.formUnion(members(of: $1.value, at: "\(path).\($1.key)")) }
            case let list as [Any]:
                list.reduce(into: [path]) { $0.formUnion(members(of: $1, at: "\(path)[]")) }
            default: [path]
            }
        }
    }
#endif
