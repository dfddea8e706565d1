/// The options of the command line.
struct Options {
    static let usage = """
        usage: shop-server [--data DIR] [--redis URL] [--events URL] DATAFILE
               shop-server [--data DIR] [--redis URL] [--events URL] --sdk-key KEY [--datafiles URL]
               shop-server --demo DATAFILE
        """

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
    /// The address that receives events. Default: nil; events stay queued.
    var events: String?
    var isDemo = false

    /// Reads the arguments; nil if they are not as in ``usage``.
    init?(_ arguments: some Sequence<String>) {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--demo": isDemo = true
            case "--data": directory = rest.next()
            case "--redis": redis = rest.next()
            case "--events": events = rest.next()
            case "--sdk-key": sdkKey = rest.next()
            case "--datafiles": datafiles = rest.next()
            case let file where !file.hasPrefix("-") && datafile == nil: datafile = file
            default: return nil
            }
        }
        guard (datafile == nil) != (sdkKey == nil) else { return nil }
    }
}
