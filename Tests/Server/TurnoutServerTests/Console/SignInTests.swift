import Testing
import TurnoutClient
import TurnoutServer

/// Who sees the pages of the console.
@Suite("Signing in to the console")
struct SignInTests {
    private static let health = "/console/health"

    private static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\($0)=\($1.percentEncoded)" }.joined(separator: "&")
    }

    /// Sends the form of the page with a token; the headers are those of a browser on this machine.
    private static func signIn(
        _ shop: ShopServer, _ token: String, _ headers: HeaderFields = [:], then next: String = health,
        kept: String? = nil
    ) async -> ServerResponse {
        var headers = headers
        if headers["Host"] == nil { headers["Host"] = "localhost:8080" }
        let fields = [("token", token), ("then", next)] + (kept.map { [("kept", $0)] } ?? [])
        return await shop.response("POST", "/console/sign-in", headers, body: form(fields))
    }

    /// The cookie that a response sets, as the browser sends it.
    private static func cookie(_ response: ServerResponse) -> HeaderFields {
        ["Cookie": "theme=dark; " + (response.headers["Set-Cookie"] ?? "").prefix { $0 != ";" }]
    }

    @Test func browsersAreLedToTheConsole() async throws {
        let shop = try ShopServer()
        let browser = await shop.response("GET", "/", ["Accept": "text/html,application/xhtml+xml"])
        #expect(browser.status == 303)
        #expect(browser.headers["Location"] == "/console/")
        #expect(await shop.response("GET", "/", ["Accept": "*/*"]).text.hasPrefix("Turnout "))
    }

    @Test func withoutTokensPagesAreForThisMachine() async throws {
        let shop = try ShopServer()
        let page = await shop.response("GET", Self.health, [:])
        #expect(page.status == 200)
        #expect(page.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        #expect(!page.text.contains("style="))
        #expect(await shop.response("GET", Self.health, [:], from: "10.0.0.7").status == 401)
        #expect(await shop.response("GET", Self.health, ["X-Forwarded-For": "10.0.0.7"]).status == 401)
        #expect(await shop.response("GET", Self.health, ["Host": "attacker.example"]).status == 404)
        // A page of a name that leads to this machine.
        let open = try ShopServer { $0.host = "0.0.0.0" }
        #expect(await open.response("GET", Self.health, ["Host": "attacker.example"]).status == 401)
    }

    @Test func aTokenSignsInUntilItIsRemoved() async throws {
        let shop = try ShopServer(tokens: [try AccessTests.token("secret", [.read])])
        #expect(await shop.response("GET", Self.health, [:]).text.contains("Management token"))
        #expect(await Self.signIn(shop, "other").status == 401)
        let answer = await Self.signIn(shop, "secret")
        #expect(answer.status == 303)
        #expect(answer.headers["Location"] == Self.health)
        let header = try #require(answer.headers["Set-Cookie"])
        #expect(header.hasPrefix("turnout=") && header.hasSuffix("; HttpOnly; SameSite=Strict"), "\(header)")
        let cookie = Self.cookie(answer)
        #expect(await shop.response("GET", Self.health, cookie).status == 200)
        #expect(await shop.response("GET", Self.health, cookie).text.contains(">ci<"))
        shop.server.use([])
        #expect(await shop.response("GET", Self.health, cookie, from: "10.0.0.7").status == 401)
        // A token of the same name is another one.
        shop.server.use([try AccessTests.token("next", [.read])])
        #expect(await shop.response("GET", Self.health, cookie).status == 401)
    }

    @Test func signingOutEndsTheSession() async throws {
        let shop = try ShopServer(tokens: [try AccessTests.token("secret", [.read])])
        var cookie = Self.cookie(await Self.signIn(shop, "secret"))
        cookie["Host"] = "localhost"
        var elsewhere = cookie
        elsewhere["Origin"] = "https://attacker.example"
        #expect(await shop.response("POST", "/console/sign-out", elsewhere).headers["Set-Cookie"] == nil)
        #expect(await shop.response("GET", Self.health, cookie).status == 200)
        let answer = await shop.response("POST", "/console/sign-out", cookie)
        #expect(answer.headers["Set-Cookie"]?.hasPrefix("turnout=; Path=/; Max-Age=0") == true)
        #expect(await shop.response("GET", Self.health, cookie).status == 401)
    }

    @Test func aSessionLastsTwelveHours() async throws {
        let shop = try ShopServer(tokens: [try AccessTests.token("secret", [.read])])
        let cookie = Self.cookie(await Self.signIn(shop, "secret"))
        shop.clock.advance(by: .seconds(12 * 3_600 - 1))
        #expect(await shop.response("GET", Self.health, cookie).status == 200)
        shop.clock.advance(by: .seconds(2))
        #expect(await shop.response("GET", Self.health, cookie).status == 401)
    }

    @Test func aTokenIsNotReadableOnItsWay() async throws {
        let shop = try ShopServer(tokens: [try AccessTests.token("secret", [.read])]) { $0.host = "0.0.0.0" }
        let host: HeaderFields = ["Host": "flags.example"]
        let plain = await shop.response("POST", "/console/sign-in", host, body: "token=secret", from: "10.0.0.7")
        #expect(plain.status == 403)
        #expect(plain.text.contains("Open this page over https"))
        let proxied: HeaderFields = [
            "Host": "flags.example", "X-Forwarded-For": "10.0.0.7", "X-Forwarded-Proto": "https",
        ]
        let cookie = await shop.response("POST", "/console/sign-in", proxied, body: "token=secret")
            .headers["Set-Cookie"]
        #expect(cookie?.hasPrefix("__Host-turnout=") == true)
        #expect(cookie?.hasSuffix("; Secure") == true)
    }

    @Test func attemptsAreLimited() async throws {
        let shop = try ShopServer(tokens: [try AccessTests.token("secret", [.read])]) { $0.host = "0.0.0.0" }
        for _ in 0..<10 { #expect(await Self.signIn(shop, "guess").status == 401) }
        #expect(await Self.signIn(shop, "guess").status == 429)
        // Or else a guess that is right would be told.
        #expect(await Self.signIn(shop, "secret").status == 429)
        let other: HeaderFields = ["Host": "flags.example", "X-Forwarded-Proto": "https"]
        let body = "token=secret"
        #expect(await shop.response("POST", "/console/sign-in", other, body: body, from: "10.0.0.7").status == 303)
    }

    @Test(arguments: ["https://attacker.example/", "//attacker.example", "/status", ""])
    func signingInLeadsToAPageOfTheConsoleOnly(next: String) async throws {
        let shop = try ShopServer(tokens: [try AccessTests.token("secret", [.read])])
        #expect(await Self.signIn(shop, "secret", then: next).headers["Location"] == "/console/")
        for (origin, site, status) in [
            ("https://attacker.example", "cross-site", 403), ("null", "cross-site", 403),
            ("null", "same-site", 403), ("null", "same-origin", 303), ("http://localhost:8080", "same-origin", 303),
        ] {
            let headers: HeaderFields = ["Origin": origin, "Sec-Fetch-Site": site]
            #expect(await Self.signIn(shop, "secret", headers).status == status, "\(origin), \(site)")
        }
    }

    @Test func pagesNeedTheirScope() async throws {
        let shop = try ShopServer(tokens: [try AccessTests.token("secret", [.flags])])
        let cookie = Self.cookie(await Self.signIn(shop, "secret"))
        let page = await shop.response("GET", Self.health, cookie)
        #expect(page.status == 403)
        #expect(page.text.contains("turnout token new --scope read"))
    }

    @Test func usersOfAProxyAreNamedByIt() async throws {
        let shop = try ShopServer(tokens: [try AccessTests.token("secret", [.read])]) {
            $0.host = "0.0.0.0"
            $0.console.proxyAddress = "10.0.0.2"
        }
        let ada: HeaderFields = ["Host": "flags.example", "X-Forwarded-User": "ada@shop.example"]
        let page = await shop.response("GET", Self.health, ada, from: "10.0.0.2")
        #expect(page.status == 200)
        #expect(page.text.contains("ada@shop.example"))
        #expect(await shop.response("GET", Self.health, ada, from: "10.0.0.7").status == 401)
        #expect(await shop.response("GET", Self.health, ["Host": "x"], from: "10.0.0.2").status == 401)
    }

    @Test func anEndedSessionKeepsOnlyFormsOfOurPages() async throws {
        let shop = try ShopServer(tokens: [try AccessTests.token("secret", [.events])])
        let body = Self.form([("user", "ada"), ("step", "confirm")])
        let kept = await shop.response("POST", "/console/users", [:], body: body)
        #expect(kept.status == 401)
        #expect(kept.headers["Cache-Control"] == "no-store")
        #expect(kept.text.contains("user=ada"))
        let again = await Self.signIn(shop, "secret", then: "/console/users", kept: body)
        #expect(again.text.contains(#"name="user" value="ada""#) && !again.text.contains(#"value="confirm""#))
        let foreign: HeaderFields = ["Origin": "https://attacker.example", "Sec-Fetch-Site": "cross-site"]
        #expect(!(await shop.response("POST", "/console/users", foreign, body: body)).text.contains("user=ada"))
    }

    @Test func signingInLeadsBackToTheWholeAddress() async throws {
        let shop = try ShopServer(tokens: [try AccessTests.token("secret", [.read])])
        let page = await shop.response("GET", "/console/?q=dark+mode&state=test", [:])
        #expect(page.text.contains(#"name="then" value="/console/?q=dark%20mode&amp;state=test""#))
    }

    @Test(arguments: [("127.0.0.1", true), ("127.9.8.7", true), ("127.evil.com", false), ("127.0.0.1.nip.io", false)])
    func aNameLikeAnAddressIsNotThisMachine(host: String, isLocal: Bool) async throws {
        let shop = try ShopServer { $0.host = "0.0.0.0" }
        #expect(await shop.response("GET", Self.health, ["Host": "\(host):80"]).status == (isLocal ? 200 : 401))
        #expect(await shop.response("GET", "/status", ["Host": "\(host):80"]).status == (isLocal ? 200 : 403))
    }

    @Test func filesOfPagesMayBeKept() async throws {
        let shop = try ShopServer()
        let page = await shop.response("GET", Self.health, [:]).text
        let names = page.matches(of: /"(\/console\/assets\/[^"]*)"/).map { String($0.1) }
        #expect(names.count == 3)
        for name in names {
            let file = await shop.response("GET", name, [:])
            #expect(file.status == 200)
            #expect(file.headers["Cache-Control"]?.contains("immutable") == true)
        }
        #expect(await shop.response("GET", "/console/assets/style-0.css", [:]).status == 404)
    }
}
