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

/// A response has no stream.
struct NoStream: Error {}

extension ServerResponse {
    /// The complete content; empty for a stream.
    var content: [UInt8] {
        switch body {
        case .bytes(let bytes): bytes
        case .shared(let body): body.bytes
        case .stream, .closed: []
        }
    }
}

extension ResponseStream {
    /// What has not been read yet.
    var text: String {
        var bytes: [UInt8] = []
        while case .chunk(let chunk) = read() { bytes += chunk }
        return String(decoding: bytes, as: UTF8.self)
    }
}
