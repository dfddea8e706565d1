import Testing
import TurnoutClient
import TurnoutEngine
import TurnoutFlags
import TurnoutReports
import TurnoutServer

/// What people see of flags, and what programs get.
@Suite("Flag pages") struct FlagPagesTests {
    /// A project file with two environments, as a program reads it.
    private struct ShopFile: FlagsFile {
        var flags = #"{"cart": {"variations": {"on": {}}, "else": "on"}}"#
        var commits: [FlagsFileCommit] = []

        let name = "flags.yaml"
        let isInGit = true

        func read() throws -> FlagsFileContent {
            let text = """
                {"project": "7", "environments": {"development": {}, "production": {}}, "flags": \(flags)}
                """
            let source = SourceFile(name: name, bytes: Array(text.utf8))
            let project = try ProjectReader.read(try Node(json: source), in: source)
            let findings = ProjectLint(project, source: source).findings
            return FlagsFileContent(
                project, findings: findings,
                findingsByFlag: ProjectLint.findings(findings, byFlagOf: project, in: source), tag: flags)
        }

        func history(of flag: String?, limit: Int) throws -> [FlagsFileCommit] { commits }
        func write(_ proposal: FlagsFileProposal) throws {}
        func proposal(
            _ edits: [FlagsFileEdit], in environment: String, for users: [User], examples: Int
        ) throws -> FlagsFileProposal { throw FlagsFileProblem("not here") }
        func meaning(from old: AuthoredProject, to new: AuthoredProject) -> Report { Report() }
    }

    private func shop(_ file: ShopFile? = nil) throws -> ShopServer {
        try ShopServer({ $0.access.allowsLocalManagement = true }, flagsFile: file)
    }

    private func page(_ path: String, of shop: ShopServer, status: Int = 200) async -> String {
        let response = await shop.response("GET", "/console/" + path, [:])
        #expect(response.status == status, "\(path)")
        return response.text
    }

    private func explained(_ form: String, by shop: ShopServer) async throws -> String {
        let empty = await page("users", of: shop)
        let token = try #require(empty.firstMatch(of: /form_token" value="([^"]+)"/)).output.1
        let response = await shop.response("POST", "/console/users", [:], body: "form_token=\(token)&\(form)")
        #expect(response.status == 200)
        #expect(response.headers["Cache-Control"] == "no-store")
        return response.text
    }

    // MARK: All flags

    @Test func theListSaysWhatIsOn() async throws {
        let list = await page("", of: try shop())
        #expect(list.contains("7 flags: 4 tests run."))
        #expect(list.contains(#"<a href="/console/flags/dark_mode"><bdi>dark_mode</bdi></a>"#))
        #expect(list.contains("on for some"))
    }

    @Test func anAddressIsAFilter() async throws {
        let shop = try shop()
        let dark = await page("?q=MODE%20dark", of: shop)
        #expect(dark.contains("flags/dark_mode") && !dark.contains("flags/checkout_redesign"))
        let tests = await page("?state=test", of: shop)
        #expect(tests.contains("flags/checkout_redesign") && !tests.contains("flags/dark_mode"))
        #expect(await page("?q=nothing", of: shop).contains("No flag is like that"))
    }

    @Test func flagsThatCanGoAreStale() async throws {
        var file = ShopFile(flags: #"{"cart": {"variations": {"on": {}}, "else": "on"}, "old": {}}"#)
        #expect(await page("?state=stale", of: try shop(file)).contains("flag old is always off"))
        // In 1970, as the shop's clock has it, a month ago.
        file.commits = [
            FlagsFileCommit(
                id: "1", author: "Ada", time: -30 * 86_400_000, subject: "", meaning: Report(), flags: ["cart"])
        ]
        let list = await page("?q=cart", of: try shop(file))
        #expect(list.contains("on for everyone for 30 days") && list.contains("Changed"))
    }

    @Test func aThousandFlagsHaveShortPages() async throws {
        let flags = (1...1_000).map { number in
            #""flag_\#(number)": {"description": "What it is for, in a sentence of a usual length.", "#
                + #""variations": {"on": {}}, "#
                + #""rules": [{"delivery": "few_\#(number)", "serve": "on", "traffic": "25%"}]}"#
        }
        let shop = try shop(ShopFile(flags: "{\(flags.joined(separator: ",\n"))}"))
        let first = await page("", of: shop)
        #expect(first.utf8.count < 200_000)
        #expect(first.contains("flag_100<") && !first.contains("flag_101<") && first.contains("Page 1 of 10"))
        #expect(await page("?page=2&q=flag", of: shop).contains("flag_101<"))
        #expect(await page("?all=1", of: shop).contains("flag_1000<"))
    }

    @Test func namesAreTexts() async throws {
        let file = ShopFile(flags: #"{"<script>alert(1)</script>": {"description": "\"><img src=x>\u202e"}}"#)
        for path in ["", "flags/%3Cscript%3Ealert(1)%3C%2Fscript%3E"] {
            let text = await page(path, of: try shop(file))
            #expect(text.contains("&lt;script&gt;alert(1)"))
            #expect(!text.contains("<script>") && !text.contains("<img") && !text.contains("\u{202e}"))
        }
    }

    // MARK: A flag

    @Test func rulesAreSentencesWithTheirBuckets() async throws {
        let flag = await page("flags/checkout_redesign", of: try shop())
        #expect(flag.contains("the users with audience North America and not audience New customers take part"))
        #expect(flag.contains(#"class="buckets""#) && flag.contains(#"class="fill2""#))
        #expect(flag.contains("one_page") && flag.contains("express_pay"))
        // Users outside the share of a rollout get another variation by its rule, too.
        let ramp = await page("flags/dark_mode", of: try shop())
        #expect(ramp.contains(" 40%</li>") && ramp.contains(" 60%</li>") && !ramp.contains("another share"))
        let limited = await page("flags/search_ranking", of: try shop())
        #expect(limited.contains("Only 50% of the users can take part in ranking_test: the group 6001"))
        #expect(limited.contains("By the holdout global_holdout, 5% of all users are kept out of all flags"))
        #expect(flag.contains("/console/experiments/checkout_test"))
        #expect(await page("flags/nothing", of: try shop(), status: 404).contains("No environment has a flag nothing."))
    }

    @Test func environmentsAreCompared() async throws {
        let flags = """
            {"cart": {"variations": {"on": {}}, "rules": [{"delivery": "few", "serve": "on", "traffic": "10%"}],
            "in": {"production": {"rules": [{"delivery": "few", "serve": "on", "traffic": "25%"}]}}}}
            """
        let meaning = Report([.sentence("traffic 10% → 25%")])
        let commit = FlagsFileCommit(id: "1", author: "Ada", time: 0, subject: "More", meaning: meaning)
        let flag = await page("flags/cart", of: try shop(ShopFile(flags: flags, commits: [commit])))
        #expect(flag.contains("Unlike in <bdi>development</bdi>"))
        #expect(flag.contains("delivery few: traffic 10% → 25%"))
        #expect(flag.contains("1970-01-01 00:00") && flag.contains("Ada") && flag.contains("More"))
        #expect(flag.contains("/console/flags/cart/change?environment=production"))
    }

    // MARK: A user

    @Test func aDecisionIsExplainedAndNotMade() async throws {
        let shop = try shop()
        let form = "user=zoe42&flags=checkout&name=country&value=US&name=orders&value=5&name=&value="
        let page = try await explained(form, by: shop)
        #expect(page.contains("<bdi>zoe42</bdi> gets <strong><bdi>control</bdi></strong> of"))
        #expect(page.contains(#"value="country""#) && page.contains(#"value="US""#))
        #expect(page.contains(#"class="yes""#) && page.contains("user has &quot;US&quot;"))
        #expect(!page.contains("flags/dark_mode"))
        #expect(shop.events.count == 0)
        #expect(!shop.log.text.contains("zoe42"))
    }

    @Test func anotherValueGivesAnotherDecision() async throws {
        let shop = try shop()
        let before = try await explained("user=ada&flags=dark_mode&name=app_version&value=3.1.0", by: shop)
        #expect(before.contains(#"user has &quot;3.1.0&quot;: no"#))
        let after = try await explained(#"user=ada&flags=dark_mode&name=app_version&value=%223.2.0%22"#, by: shop)
        #expect(after.contains(#"user has &quot;3.2.0&quot;: yes"#))
    }

    // MARK: Programs

    @Test func programsGetTheSame() async throws {
        let flags = #"{"cart": {"variations": {"on": {}}, "else": "on", "in": {"production": {"else": "off"}}}}"#
        let shop = try shop(ShopFile(flags: flags))
        let list = try await shop.response("GET", "/flags", [:]).json
        #expect(list["environments"] == .array([.string("development"), .string("production")]))
        let cart = try await shop.response("GET", "/flags/cart", [:]).json
        #expect(cart["environments"]?["development"]?["state"] == .string("on"))
        #expect(cart["environments"]?["production"]?["state"] == .string("off"))
        #expect(cart["environments"]?["development"]?["authored"]?["else"] == .string("on"))
        #expect(await shop.response("GET", "/flags/no", [:]).status == 404)
    }

    @Test func programsGetExplanations() async throws {
        let shop = try shop()
        let body = #"{"user": "vera", "flag": "checkout_redesign"}"#
        let explanation = try await shop.response("POST", "/explain", [:], body: body).json
        guard case .array(let decisions)? = explanation["decisions"] else {
            Issue.record("no decisions: \(explanation)")
            return
        }
        #expect(decisions.map { $0["variation"] } == [.string("two_step")])
        #expect(shop.events.count == 0)
        #expect(await shop.response("POST", "/explain", [:], body: "{}").status == 400)
        #expect(
            await shop.response("POST", "/explain", [:], body: #"{"user": "a", "environment": "no"}"#).status == 404)
    }
}
