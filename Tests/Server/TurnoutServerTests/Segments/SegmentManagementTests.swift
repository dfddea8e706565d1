import ServerTestSupport
import TestSupport
import TurnoutFlags
import TurnoutServer

/// The management of lists of users.
@Suite("Lists of users") struct SegmentManagementTests {
    @Test func listsAreUploaded() async throws {
        let shop = try PlatformServer()
        let csv: HeaderFields = ["Content-Type": "text/csv; charset=utf-8"]
        let list = "user_id,name\r\nada,Ada\r\n\"gr\"\"ace, x\",G\r\n\r\n10\r\n"
        let put = await shop.response("PUT", "/segments/vip/users", csv, body: list)
        #expect(put.text == "{\"added\":3,\"removed\":0,\"segments\":[]}\n")
        #expect(
            await shop.response("GET", "/segments/vip/users").text == "{\"users\":[\"10\",\"ada\",\"gr\\\"ace, x\"]}\n")
        let ndjson: HeaderFields = ["Content-Type": "application/x-ndjson"]
        let more = await shop.response(
            "POST", "/segments/vip/users", ndjson, body: "\"joan\"\n{\"user_id\": \"ada\"}\n")
        #expect(more.text == "{\"added\":1,\"removed\":0,\"segments\":[]}\n")
        #expect(
            await shop.response("PUT", "/segments/vip/users", csv, body: "ada\n").text
                == "{\"added\":0,\"removed\":3,\"segments\":[]}\n")
        #expect(await shop.response("GET", "/segments/vip/users?after=ada").text == "{\"users\":[]}\n")
        #expect(await shop.response("GET", "/metrics").text.contains("turnout_segment_users 1\n"))
    }

    @Test func oneColumnNeedsNoName() async throws {
        let shop = try PlatformServer()
        _ = await shop.response("PUT", "/segments/vip/users", ["Content-Type": "text/csv"], body: "\"gr, ace\"\nada\n")
        #expect(await shop.response("GET", "/segments/vip/users").text == "{\"users\":[\"ada\",\"gr, ace\"]}\n")
    }

    /// A name that no audience has is probably misspelt. The list is stored all the same: the audience may follow.
    @Test func aSegmentThatNoAudienceNamesIsPointedOut() async throws {
        let shop = try ShopServer { $0.access.allowsLocalManagement = true }
        let csv: HeaderFields = ["Content-Type": "text/csv"]
        let names = try Project(datafile: ShopServer.datafile).qualifiedSegments
        let name = try #require(names.first)
        let known = await shop.response("PUT", "/segments/\(name)/users", csv, body: "ada\n")
        #expect(known.text == "{\"added\":1,\"removed\":0}\n")
        let unknown = try await shop.response("POST", "/segments/\(name)x/users", csv, body: "ada\n").json
        #expect(unknown["segments"] == .array(names.sorted().map(JSONValue.string)))
    }

    @Test(arguments: ["PUT", "POST"]) func aListThatIsTooLargeIsToBeSplit(method: String) throws {
        let head = RequestHead(method, "/segments/vip/users", headers: ["Content-Type": "text/csv"])
        let limit = try PlatformServer().server.handler.bodyLimit(for: head)
        #expect(limit.size == 16 << 20 && limit.refusal.status == 413)
        #expect(limit.refusal.reason.contains("turnout segments upload --add"))
    }

    @Test func carriageReturnsEndLinesOfCSV() async throws {
        let shop = try PlatformServer()
        let csv: HeaderFields = ["Content-Type": "text/csv"]
        let list = "user_id,name\rada,Ada\r\rgrace,G\r\njoan\nmary\r"
        _ = await shop.response("PUT", "/segments/vip/users", csv, body: list)
        #expect(
            await shop.response("GET", "/segments/vip/users").text
                == "{\"users\":[\"ada\",\"grace\",\"joan\",\"mary\"]}\n")
        let mistake = await shop.response("PUT", "/segments/vip/users", csv, body: "ada\rgrace\r\n,x\r")
        #expect(mistake.text.contains("line 3: a user id has"))
    }

    @Test(arguments: [
        ("text/csv", "ada\n\"x\n", 400, "line 2: the first column is not UTF-8, or a quotation mark is missing"),
        ("text/csv", "ada\n,x\n", 400, "line 2: a user id has 1 to 1024 bytes"),
        ("text/csv", "ada,Ada\ngrace,Grace\n", 400, "line 1: a table with several columns begins with a line of"),
        ("text/csv", "email,user_id\nx@y,ada\n", 400, "line 1: a table with several columns begins with"),
        ("text/csv", "\r\n\"gr\"\"ace\",G\n", 400, "line 2: a table with several columns begins with a line of"),
        ("text/csv", "user_id;name\nada;Ada\n", 400, "line 1: columns are separated by commas"),
        ("application/x-ndjson", "\"ada\"\n7\n", 400, "line 2: expected a string"),
        ("application/json", "[]", 415, "text/csv or application/x-ndjson"),
    ]) func aListWithAMistakeChangesNothing(type: String, body: String, status: Int, message: String) async throws {
        let shop = try PlatformServer()
        let response = await shop.response("PUT", "/segments/vip/users", ["Content-Type": type], body: body)
        #expect(response.status == status)
        #expect(response.text.contains(message))
        #expect(await shop.response("GET", "/segments/vip/users").status == 404)
    }

    @Test(arguments: ["", "\n\r\n", "user_id\n", "\u{FEFF}\"user_id\",email\n"])
    func aListWithoutUsersReplacesNothing(body: String) async throws {
        let shop = try PlatformServer()
        _ = await shop.response("PUT", "/segments/vip/users/ada")
        let type: HeaderFields = ["Content-Type": "text/csv"]
        let response = await shop.response("POST", "/segments/vip/users?replace=true", type, body: body)
        #expect(response.status == 409 && response.text.contains("\"code\":\"empty\""))
        #expect(await shop.response("GET", "/segments/vip/users").text == "{\"users\":[\"ada\"]}\n")
        #expect(await !shop.response("GET", "/ready").text.contains("segments"), "the store works")
        #expect(await shop.response("POST", "/segments/vip/users", type, body: body).status == 200)
        let path = "/segments/vip/users?allow_empty=true"
        #expect(
            await shop.response("PUT", path, type, body: body).text == "{\"added\":0,\"removed\":1,\"segments\":[]}\n")
    }

    @Test func oneUserIsAddedLookedAtAndForgotten() async throws {
        let shop = try PlatformServer(defined: [AuthoredSegment(key: "testers", members: ["a/b"])])
        #expect(await shop.response("PUT", "/segments/v%C3%ADp/users/a%2Fb").status == 200)
        #expect(
            await shop.response("GET", "/users/a%2Fb/segments").text
                == "{\"ids\":[\"a\\/b\"],\"segments\":[\"testers\",\"víp\"]}\n".replacing("\\/", with: "/"))
        #expect(
            await shop.response("GET", "/segments").text == """
                {"defined":[{"hasRule":false,"members":1,"project":"12001","segment":"testers"}],\
                "lists":[{"segment":"víp","users":1}]}

                """)
        #expect(await shop.response("DELETE", "/segments/v%C3%ADp/users/a%2Fb").text.contains("\"removed\":1"))
        #expect(await shop.response("DELETE", "/users/a%2Fb/segments").status == 404)
        _ = await shop.response("PUT", "/segments/other/users/a%2Fb")
        #expect(await shop.response("DELETE", "/users/a%2Fb/segments").status == 204)
        #expect(await shop.response("DELETE", "/segments/other").status == 204)
        #expect(await shop.response("DELETE", "/segments/other").status == 404)
        #expect(await shop.response("GET", "/users/unknown/segments").status == 404)
    }

    @Test func deletingWhatIsNotThereCreatesNothing() async throws {
        let shop = try PlatformServer()
        #expect(await shop.response("DELETE", "/segments/vip/users/ada").status == 404)
        #expect(await shop.response("GET", "/segments/vip/users").status == 404)
        _ = await shop.response("PUT", "/segments/vip/users/ada")
        #expect(await shop.response("DELETE", "/segments/vip/users/grace").status == 404)
        #expect(await shop.response("DELETE", "/segments/vip/users/ada").status == 200)
    }

    @Test func idsAreComparedByTheirBytes() async throws {
        let (composed, decomposed) = ("zo\u{EB}", "zoe\u{308}")
        let shop = try PlatformServer(defined: [AuthoredSegment(key: "testers", members: [composed])])
        #expect(await shop.response("PUT", "/segments/vip/users/zoe%CC%88").status == 200)
        #expect(try await shop.segments(of: decomposed) == ["vip"])
        #expect(try await shop.segments(of: composed) == ["testers"])
    }

    @Test(arguments: ["/segments/vip/users/%FF", "/segments/vip/users/a%C3", "/segments/%ff/users/ada"])
    func anIdThatIsNotUTF8IsRefused(path: String) async throws {
        let shop = try PlatformServer()
        #expect(await shop.response("PUT", path).status == 400)
        #expect(await shop.response("GET", "/segments").text.contains("\"lists\":[]"))
    }

    @Test func limitsAreExplained() async throws {
        let shop = try PlatformServer { $0.segments.limits.users = 2 }
        let csv: HeaderFields = ["Content-Type": "text/csv"]
        let response = await shop.response("PUT", "/segments/vip/users", csv, body: "1\n2\n3\n")
        #expect(response.status == 409)
        #expect(response.text.contains("no room for more than 2 users"))
        #expect(response.text.contains("\"code\":\"limit\""))
        #expect(await shop.response("GET", "/segments/vip/users?limit=0").status == 400)
        let long = String(repeating: "x", count: 1_025)
        #expect(await shop.response("PUT", "/segments/vip/users/\(long)").status == 400)
    }

    @Test func eachRouteNeedsItsScope() async throws {
        let tokens = try [("r", ManagementScope.read), ("f", .flags), ("e", .events)].map {
            try AccessTests.token($0.0, [$0.1])
        }
        let shop = try PlatformServer(tokens: tokens)
        for (method, path, allowed) in [
            ("GET", "/segments", "r"), ("PUT", "/segments/vip/users/ada", "f"),
            ("GET", "/segments/vip/users", "e"), ("GET", "/users/ada/segments", "e"),
            ("DELETE", "/users/ada/segments", "f"), ("DELETE", "/segments/vip", "f"),
        ] {
            #expect(await shop.response(method, path).status == 401)
            for token in ["r", "e", "f"].filter({ $0 != allowed }) + [allowed] {
                let response = await shop.response(method, path, ["Authorization": "Bearer \(token)"])
                #expect((response.status == 403) == (token != allowed), "\(method) \(path) \(token)")
            }
        }
    }
}
