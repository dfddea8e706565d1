import ServerTestSupport
import TurnoutServer

/// Changes of the project file on the console's pages.
@Suite("Editing in the console") struct ConsoleEditingTests {
    private let directory = TemporaryDirectory()
    private var file: String { directory.path + "/flags.yaml" }
    private static let project = """
        project: shop
        environments: {production: {sdk_key: p}, staging: {sdk_key: s}}
        attributes: [country]
        flags:
          # Asked for by the shop.
          checkout:
            variations: {on: {}, big: {}}
            rules:
              - experiment: checkout_ab  # the second try
                traffic: 50%  # half
                audience: {country: US}
                split: {off: 50, on: 25, big: 25}
                allow_list: {on: [vera]}
              - delivery: rest
                serve: on
            in:
              staging: {enabled: false}

        """

    init() throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        try write(Self.project)
    }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file)) }
    private func text() throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

    /// A page, and the fields of its forms.
    private struct Page {
        let status: Int
        let text: String

        /// The value of the last field with a name.
        func value(_ name: String) -> String? {
            text.matches(of: /name="([a-z_]+)" value="([^"]*)"/).last { $0.1 == name }
                .map { String($0.2).replacing("&quot;", with: "\"") }
        }
    }

    private func server(
        _ editing: ConsoleOptions.Editing? = .file, isManaged: Bool = true
    ) -> (server: Server, storage: ServerStorage) {
        var configuration = ServerConfiguration()
        configuration.data = directory.path + "/data"
        configuration.access.allowsLocalManagement = isManaged
        configuration.console.editing = editing
        let storage = ServerStorage(directory: directory.path + "/data", configuration, messages: directory.log)
        var adapters = ServerAdapters(
            listener: NoListener(), cryptography: NettleCryptography(), storage: storage,
            log: StructuredLog(configuration.log) { _ in })
        adapters.flagsFile = ServedFlagsFile(file)
        adapters.wallClock = .fixed(EventBodies.time)
        return (Server(configuration, adapters: adapters), storage)
    }

    private func send(_ method: String, _ path: String, _ body: String = "", to server: Server) async -> Page {
        let parts = path.split(separator: "?")
        let query = QueryParameters(parsing: parts.count > 1 ? parts[1] : "")
        let head = RequestHead(method, String(parts[0]), query: query, headers: ["Host": "localhost:8080"])
        let response = await server.handler.respond(to: ServerRequest(head, body: Array(body.utf8))).response
        guard case .bytes(let bytes) = response.body else { return Page(status: response.status, text: "") }
        return Page(status: response.status, text: String(decoding: bytes, as: UTF8.self))
    }

    private static let path = "/console/flags/checkout/change"

    /// Sends a form of a page, with further fields.
    private func post(_ fields: String, from page: Page, to server: Server) async throws -> Page {
        let hidden = "form_token=\(try #require(page.value("form_token")))&tag=\(try #require(page.value("tag")))"
        return await send("POST", Self.path, "\(hidden)&environment=production&\(fields)", to: server)
    }

    @Test(arguments: [
        ("change=traffic&rule=checkout_ab&value=25", "traffic: 50%", "traffic: 25%"),
        ("change=status&rule=checkout_ab&value=paused", "[vera]}\n", "[vera]}\n        status: paused\n"),
        ("change=allow-list&rule=checkout_ab&variation=on&add=ada%0D%0A&remove=vera", "[vera]", "[ada]"),
        (
            "change=off", "      staging: {enabled: false}\n",
            """
                  staging: {enabled: false}
                  production: {enabled: false}

            """
        ),
    ]) func aChangeLeavesTheRestOfTheFile(fields: String, old: String, new: String) async throws {
        let (server, _) = server()
        let page = try await post(fields, from: await send("GET", Self.path, to: server), to: server)
        #expect(page.status == 200 && page.text.contains("Nobody can be counted"), "\(page.text)")
        #expect(try text() == Self.project)
        let refused = try await post(fields + "&step=confirm&message=+", from: page, to: server)
        #expect(refused.status == 422 && refused.text.contains("Say why"))
        let done = try await post(fields + "&step=confirm&message=Asked+by+Eve", from: page, to: server)
        #expect(done.status == 200 && done.text.contains("Changed in "), "\(done.text)")
        #expect(try text() == Self.project.replacing(old, with: new))
    }

    @Test func usersAreWrittenAsTheyWereTyped() async throws {
        let (server, _) = server()
        let fields = "change=allow-list&rule=checkout_ab&variation=on&step=review&add="
        let form = await send("GET", Self.path, to: server)
        let review = try await post(fields + "anna%0D%0Abert%0D%0Acarl", from: form, to: server)
        let kept = try #require(review.value("add")).replacing("&#13;", with: "\r").replacing("&#10;", with: "\n")
        #expect(kept.split(whereSeparator: \.isNewline) == ["anna", "bert", "carl"])
        let confirmed = fields.replacing("step=review", with: "step=confirm&message=testers") + kept.percentEncoded
        #expect(try await post(confirmed, from: review, to: server).status == 200)
        #expect(try text().contains("[vera, anna, bert, carl]"))
    }

    @Test func aChangeIsMadeOnlyAfterAReview() async throws {
        let (server, _) = server()
        let token = try #require(await send("GET", Self.path, to: server).value("form_token"))
        let fields = "form_token=\(token)&environment=production&change=off&step=confirm&message=m"
        #expect(await send("POST", Self.path, fields, to: server).status == 409)
        #expect(try text() == Self.project)
    }

    @Test func theWinnerIsRolledOutByADelivery() async throws {
        let (server, _) = server()
        let fields = "change=roll-out&rule=checkout_ab&variation=big"
        let page = try await post(fields, from: await send("GET", Self.path, to: server), to: server)
        // The rules are those of both environments.
        #expect(page.text.contains("Who moves in ") && page.text.contains("Change <bdi>production and staging</bdi>"))
        _ = try await post(fields + "&step=confirm&message=It+won", from: page, to: server)
        let text = try text()
        #expect(text.contains("delivery: checkout_ab_winner") && text.contains("audience: {country: US}"), "\(text)")
        #expect(text.contains("status: launched") && text.contains("# the second try"))
    }

    @Test func aRefusedEditKeepsTheForm() async throws {
        let (server, _) = server()
        let form = await send("GET", Self.path, to: server)
        let page = try await post("change=traffic&rule=checkout_ab&value=%3Cmuch%3E", from: form, to: server)
        #expect(page.status == 422 && page.text.contains("value=\"&lt;much&gt;\""), "\(page.text)")
        #expect(page.text.contains("&lt;much&gt; is no share"))
        #expect(try text() == Self.project)
    }

    @Test func theSecondOfTwoEditorsSeesBothChanges() async throws {
        let (server, _) = server()
        let fields = "change=traffic&rule=checkout_ab&value=25"
        let mine = try await post(fields, from: await send("GET", Self.path, to: server), to: server)
        let theirs = "change=status&rule=checkout_ab&value=paused&step=confirm&message=Broken"
        _ = try await post(theirs, from: mine, to: server)
        let conflict = try await post(fields + "&step=confirm&message=More+users", from: mine, to: server)
        #expect(conflict.status == 409 && conflict.text.contains("Changed meanwhile"))
        #expect(conflict.text.contains("paused") && conflict.text.contains("25%"), "\(conflict.text)")
        #expect(conflict.value("message") == "More users")
        #expect(try text().contains("traffic: 50%"))
        let done = try await post(fields + "&step=confirm&message=More+users", from: conflict, to: server)
        #expect(try done.status == 200 && text().contains("traffic: 25%"))
    }

    @Test func afterACheckoutWithoutTheRuleNothingTypedIsLost() async throws {
        let (server, _) = server()
        let fields = "change=traffic&rule=rest&value=12.5%25&step=confirm&message=Slowly"
        let form = await send("GET", Self.path, to: server)
        try write(Self.project.replacing("delivery: rest", with: "delivery: others"))
        let page = try await post(fields, from: form, to: server)
        #expect(page.status == 409 && page.text.contains("What you typed"))
        #expect(page.text.contains("12.5%") && page.text.contains("Slowly") && page.text.contains("no rule rest"))
    }

    @Test func changesAreListedAfterARestart() async throws {
        let (server, storage) = server()
        let form = await send("GET", Self.path, to: server)
        _ = try await post("change=off&step=confirm&message=%3Cb%3Efraud", from: form, to: server)
        await server.stop(immediately: true)
        _ = storage
        let again = self.server().server
        let page = await send("GET", "/console/changes", to: again)
        #expect(await send("GET", "/console/flags/checkout", to: again).text.contains("&lt;b&gt;fraud"))
        #expect(page.text.contains("Thursday, 2026-01-15") && page.text.contains("&lt;b&gt;fraud"), "\(page.text)")
        let list = try JSONValue(parsing: await send("GET", "/changes", to: again).text)
        guard case .array(let changes)? = list["changes"] else { throw NoList() }
        #expect(changes.count == 1 && changes[0]["message"] == .string("<b>fraud"))
    }

    private struct NoList: Error {}

    /// Events of 40 users: the first 20 have another country in their last one, and one came too long ago.
    private func receiveEvents(_ storage: ServerStorage) async throws {
        for number in 0..<60 {
            let body = EventBodies.body(
                EventBodies.visitor("user-\(number % 40)", EventBodies.exposure(uuid: EventBodies.uuid(number)))
                    .replacing(#""value":"US""#, with: #""value":"\#(number < 40 ? "US" : "DE")""#))
            let time = EventBodies.time - (number == 30 ? 8 * 86_400_000 : 60_000 - Int64(number))
            try await storage.log.append(body, receivedAt: time)
        }
        let processing = EventProcessing(
            storage.log, into: storage.events, wallClock: .fixed(EventBodies.time), messages: .silent)
        try await blocking { try processing.processAll() }
    }

    @Test func whoMovesIsWhatTheCommandSays() async throws {
        let (server, storage) = server()
        try await receiveEvents(storage)
        let (users, traffic) = (await send("GET", "/users/seen", to: server).text, "checkout.rules.checkout_ab.traffic")
        #expect(users.split(separator: "\n").count == 39)
        for (user, country) in [("user-0", "DE"), ("user-25", "US")] {
            #expect(users.contains(#"{"user":"\#(user)","attributes":{"country":"\#(country)","#), "\(users)")
        }
        let body = #"{"environment": "production", "edits": [{"path": "\#(traffic)", "set": "90%"}]}"#
        let proposal = try JSONValue(parsing: await send("POST", "/flags/proposals", body, to: server).text)
        for (name, text) in [("old", Self.project), ("new", Self.project.replacing("50%  #", with: "90%  #"))] {
            let folder = directory.url.appending(path: name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: folder.appending(path: "flags.yaml"))
        }
        try Data(users.utf8).write(to: directory.url.appending(path: "users.ndjson"))
        let command = ["impact", "old/flags.yaml", "new/flags.yaml", "--users", "users.ndjson", "-o", "json"]
        let output = await RunTool.output(of: command + ["--environment", "production"], in: directory.path).output
        let impact = try JSONValue(parsing: output)
        #expect(impact["users"] == .integer(39))
        for name in ["users", "moved", "crossing", "entering", "flags", "examples"] {
            #expect(impact[name] == proposal["impact"]?[name] && impact[name] != nil, "\(name)")
        }
    }

    @Test func whereTheFileIsInGitItGetsAPatch() async throws {
        let git = { (arguments: [String]) in
            try await blocking { try ChildProcess.output(of: "/usr/bin/git", ["-C", directory.path] + arguments) }
        }
        _ = try await git(["init", "-q"])
        _ = try await git(["add", "flags.yaml"])
        let (server, _) = server(nil)
        let fields = "change=roll-out&rule=checkout_ab&variation=big&step=confirm&message=It+won"
        let page = try await post(fields, from: await send("GET", Self.path, to: server), to: server)
        #expect(page.text.contains("turnout set flags.checkout.rules.checkout_ab.status launched\n"), "\(page.text)")
        #expect(page.text.contains("git apply change.patch") && !page.text.contains("name=\"step\" value=\"confirm\""))
        #expect(try text() == Self.project)
        let edit =
            #"{"path": "checkout.rules.checkout_ab.status", "set": "paused"}, {"path": "project", "set": "shop"}"#
        let body = #"{"environment": "staging", "edits": [\#(edit)], "tag": "x", "message": "Broken"}"#
        #expect(await send("POST", "/flags/changes", body, to: server).status == 403)
        let proposal = try JSONValue(parsing: await send("POST", "/flags/proposals", body, to: server).text)
        guard case .string(let patch)? = proposal["patch"] else { throw NoList() }
        try Data(patch.utf8).write(to: directory.url.appending(path: "change.patch"))
        _ = try await git(["apply", "change.patch"])
        #expect(try text() == Self.project.replacing("[vera]}\n", with: "[vera]}\n        status: paused\n"))
    }

    @Test func programsChangeTheFileTheyHaveSeen() async throws {
        let (server, _) = server()
        let edits = #""environment": "production", "edits": [{"path": "checkout.else", "set": "on"}]"#
        func change(_ tag: String) async -> Page {
            await send("POST", "/flags/changes", #"{\#(edits), "tag": "\#(tag)", "message": "m"}"#, to: server)
        }
        #expect(await change("other").status == 409)
        let proposal = try JSONValue(parsing: await send("POST", "/flags/proposals", "{\(edits)}", to: server).text)
        guard case .string(let tag)? = proposal["tag"] else { throw NoList() }
        #expect(await change(tag).status == 200)
        #expect(await change(tag).status == 409)
        #expect(try text().contains("    else: on\n"))
        let broken = #"{"environment": "production", "edits": [{"path": "checkout.else", "set": "none"}]}"#
        #expect(await send("POST", "/flags/proposals", broken, to: server).status == 422)
    }

    @Test func theFormsNeedTheScopeAndTheSetting() async throws {
        let (server, _) = server(isManaged: false)
        let page = await send("GET", Self.path, to: server)
        #expect(page.status == 403 && page.text.contains("<code>turnout token new --scope flags</code>"))
        #expect(await send("GET", "/console/changes", to: server).status == 200)
        let off = self.server(.off).server
        #expect(await send("GET", Self.path, to: off).text.contains("console.editing is off"))
    }
}

private struct NoListener: HTTPListener {
    var counts: ListenerCounts { ListenerCounts() }
    func start(_ handler: any RequestHandler) throws -> UInt16 { 0 }
    func stop(within limit: Duration) async {}
}
