/// Invalid datafiles are ignored, and a valid one is accepted afterwards.
@Suite(.blocking) struct BadDatafileTests {
    private let network: TestNetwork
    private let key = unique("key")

    init() throws { network = try TestNetwork() }

    /// Bodies that the server sends with the status 200.
    private static let bodies = [
        "{}", Datafile(revision: "2", version: "5").text, String(Datafile(revision: "2").text.dropLast(200)),
        "<html><body>Bad Gateway</body></html>", "[]", "",
    ]
    /// The validators of a datafile.
    enum Naming: CaseIterable { case both, time, tag }

    private static let dates = ["Wed, 01 Jan 2025 00:00:00 GMT", "Thu, 02 Jan 2025 00:00:00 GMT"]

    private func lastModified(_ number: Int, _ naming: Naming) -> String? { naming == .tag ? nil : Self.dates[number] }
    private func etag(_ number: Int, _ naming: Naming) -> String? { naming == .time ? nil : "\"v\(number)\"" }

    private func publish(revision: String, version number: Int, _ naming: Naming) throws {
        try network.publish(
            Datafile(revision: revision), for: key, lastModified: lastModified(number, naming),
            etag: etag(number, naming))
    }

    /// Queues a bad response with the validators of the next version: a client that stores them would get 304
    /// permanently.
    private func replyBadly(_ body: String, _ naming: Naming) throws {
        var headers: [String: String] = [:]
        headers["Last-Modified"] = lastModified(1, naming)
        headers["ETag"] = etag(1, naming)
        try network.reply(Address.datafile(key), .status(200, headers: headers, body: Array(body.utf8)))
    }

    /// Expects that each request was conditional on the first version.
    private func expectRequests(_ count: Int, _ naming: Naming) throws {
        let requests = try network.requests(Address.datafile(key))
        #expect(requests.count == count && requests.allSatisfy { $0.method == "GET" })
        #expect(requests[0].headers["if-none-match"] == nil && requests[0].headers["if-modified-since"] == nil)
        for request in requests.dropFirst() {
            #expect(request.headers["if-none-match"] == etag(0, naming))
            #expect(request.headers["if-modified-since"] == lastModified(0, naming))
        }
    }

    @Test(arguments: bodies, Naming.allCases)
    func theFacadeKeepsTheLastGoodDatafile(_ body: String, _ naming: Naming) async throws {
        let handler = FileHandler()
        let client = network.optimizely(key, handler: handler)
        try publish(revision: "1", version: 0, naming)
        #expect(await client.startCalledBack() == "1")
        try replyBadly(body, naming)
        #expect(await client.startCalledBack() == "1", "the last good datafile")
        #expect(client.revision == "1" && handler.loadSavedDatafile(sdkKey: key) == Datafile().data)
        #expect(client.createUserContext(userId: "ada").decide(key: "tested").enabled)
        #expect(await client.startCalledBack() == "1", "nothing has changed")
        try publish(revision: "2", version: 1, naming)
        #expect(await client.startCalledBack() == "2")
        try expectRequests(4, naming)
    }
}
