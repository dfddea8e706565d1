/// The options of the command line.
struct Options {
    static let usage = """
        usage: shop-server [option ...] DATAFILE
               shop-server [option ...] --sdk-key KEY [--datafiles URL]
        options: --host ADDRESS, --port NUMBER, --shutdown-delay SECONDS, --data DIR, --redis URL, --events URL
        """

    /// The address to listen on. Default: the loopback address, which other machines cannot reach.
    var host = "127.0.0.1"
    /// Default: 8080; 0 is a free one.
    var port: UInt16 = 8080
    /// How long the service accepts requests after SIGTERM, while it is not ready. Default: none.
    var shutdownDelay = Duration.zero
    /// The file with the datafile, which may be replaced at any time.
    var datafile: String?
    /// The SDK key of a datafile to download.
    var sdkKey: String?
    /// The address of datafiles, with `{sdkKey}`. Default: nil, the vendor's.
    var datafiles: String?
    /// The directory for events, assignments and the last datafile. Default: nil, in memory.
    var directory: String?
    /// The Redis server for assignments. Default: nil, in the directory.
    var redis: String?
    /// The address that receives events. Default: nil; with an SDK key the vendor's, otherwise events stay queued.
    var events: String?

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            guard argument.hasPrefix("-") else {
                guard datafile == nil else { throw UsageError("\(argument): there is a datafile already") }
                datafile = argument
                continue
            }
            try set(argument) { () throws(UsageError) in
                guard let value = rest.next(), !value.hasPrefix("--") else {
                    throw UsageError("\(argument): the value is missing")
                }
                return value
            }
        }
        if (datafile == nil) == (sdkKey == nil) { throw UsageError("pass either a datafile or --sdk-key") }
        if datafiles != nil, sdkKey == nil { throw UsageError("--datafiles needs --sdk-key") }
    }

    private mutating func set(_ option: String, _ value: () throws(UsageError) -> String) throws(UsageError) {
        switch option {
        case "--host": host = try value()
        case "--port": port = try number(option, value())
        case "--shutdown-delay": shutdownDelay = .seconds(try number(option, value()) as UInt16)
        case "--data": directory = try value()
        case "--redis": redis = try value()
        case "--events": events = try value()
        case "--sdk-key": sdkKey = try value()
        case "--datafiles": datafiles = try value()
        default: throw UsageError("\(option): no such option")
        }
    }

    private func number(_ option: String, _ text: String) throws(UsageError) -> UInt16 {
        guard let number = UInt16(text) else { throw UsageError("\(option) \(text): not a number up to 65535") }
        return number
    }
}

/// Why the arguments cannot be used.
struct UsageError: Error {
    let description: String
    init(_ description: String) { self.description = description }
}
