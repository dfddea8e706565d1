/// Requests that are refused before anything is sent.
@Suite(.overEachNetwork, .blocking) struct AddressTests {
    @Test(arguments: [
        ("X-Key", "a\r\nX-Other: b"), ("X-Key", "a\nb"), ("X-Key", "a\rb"), ("X-Key", "a\0b"),
        ("X-Key\r\nX-Other", "b"), ("X Key", "b"), ("X-Key:", "b"), ("", "b"),
    ])
    func aHeaderCannotInjectOthers(name: String, value: String) async {
        await expectNoResponse(.badAddress, to: HTTPRequest(.get, "http://127.0.0.1:1/", headers: [name: value]))
    }

    @Test(arguments: [
        "", "/v1/events", "127.0.0.1", "http://", "http:///v1", "http://[::1", "http://a b/c", "http://127.0.0.1/a b",
        "http://user:password@127.0.0.1/", "http://user@127.0.0.1/", "http://127.0.0.1:99999/", "ftp://127.0.0.1/",
        "file:///etc/passwd", "data:text/plain,hello", "http://127.0.0.1/\r\nX-Other: b", "memory://peer/echo",
        "http://127.0.0.1/a|b", "http://127.0.0.1/{x}", "http://127.0.0.1/\"q\"",
    ])
    func anAddressMustBeOne(address: String) async {
        await expectNoResponse(.badAddress, to: HTTPRequest(.get, address))
    }

    @Test(arguments: [
        "http://shop.example/v1", "HTTP://10.0.0.1/", "http://127.0.0.1.example/", "http://127.1/",
        "http://0x7f.0.0.1/", "http://localhost.example/", "http://[::2]/",
        "http://127.0.0.256/", "http://a.localhost/",
    ])
    func onlySecureAddressesAreAcceptedByDefault(address: String) async throws {
        let transport = Network.current.transport()
        await expectNoResponse(.badAddress, to: HTTPRequest(.get, address), over: transport)
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(HTTPRequest(.get, "http://shop.example/v1/secret"))
        }
        #expect(error?.message.hasPrefix("http://shop.example is refused because nothing would be encrypted") == true)
    }
}
