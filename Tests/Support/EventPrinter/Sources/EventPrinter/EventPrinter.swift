import TurnoutClient

/// A client whose requests are printed.
protocol EventPrinter {
    init(_ setup: Setup) throws

    /// Makes a call for a user, and returns the resulting requests.
    func requests(after call: Step.Call, for user: User) async -> [SentRequest]
}

extension EventPrinter {
    /// Makes a call, and prints its requests: `{"step":7,"method":"POST","headers":{…},"url":"…","body":{…}}`.
    func play(_ call: Step.Call, for user: User, as number: Int) async {
        for request in await requests(after: call, for: user) {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("step")
            writer.integer(Int64(number))
            if let method = request.method {
                writer.key("method")
                writer.string(method.name)
                writer.key("headers")
                writer.value(.object(method.headers.mapValues { .string($0) }))
            }
            writer.key("url")
            writer.string(request.url)
            writer.endObject()
            // The body is printed unchanged, so that no re-encoding hides differences.
            print("\(writer.text.dropLast()),\"body\":\(request.body)}")
        }
    }
}
