import TurnoutEngine
import TurnoutServer

/// A small datafile of project 7.
func datafile(revision: String, environment: String = "") -> [UInt8] {
    Array(
        """
        {"version":"4","projectId":"7","accountId":"1","revision":"\(revision)","sdkKey":"key","experiments":[],\
        "environmentKey":"\(environment)",\
        "featureFlags":[],"rollouts":[],"attributes":[],"audiences":[],"events":[],"groups":[],"anonymizeIP":true}
        """.utf8)
}

extension ServerResponse {
    /// The complete content; empty for a stream.
    var content: [UInt8] {
        switch body {
        case .bytes(let bytes): bytes
        case .shared(let body): body.bytes
        case .stream, .closed: []
        }
    }

    /// The complete content; empty for a stream.
    var text: String { String(decoding: content, as: UTF8.self) }

    /// The content as JSON.
    var json: JSONValue { get throws { try JSONValue(parsing: text) } }

    /// The stream; nil if the response is complete.
    var stream: ResponseStream? { if case .stream(let stream) = body { stream } else { nil } }

    /// What can be read from a stream now.
    var streamed: String { stream?.available ?? "" }

    /// The status, and the content or what can be read from the stream now.
    var statusAndText: String { "\(status) " + text + streamed }
}

extension ResponseStream {
    /// What can be read now.
    var available: String {
        var text = ""
        while case .chunk(let bytes) = read() { text += String(decoding: bytes, as: UTF8.self) }
        return text
    }

    /// Whether the stream has ended, and everything was read.
    var hasEnded: Bool { read() == .end }
}
