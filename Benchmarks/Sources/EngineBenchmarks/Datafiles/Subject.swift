import Foundation
import TurnoutEngine

/// A datafile for measurements, and users for its audiences.
struct Subject: Sendable {
    /// The size class of a datafile, which determines the limits.
    enum Scale { case small, medium, large }

    let name: String
    let bytes: [UInt8]
    let project: Project
    let flagKeys: [String]
    let profiles: [Person]
    private(set) var users: [User]

    init(name: String, bytes: [UInt8]) throws {
        self.name = name
        self.bytes = bytes
        project = try Project(datafile: bytes)
        flagKeys = project.flags.map(\.key)
        var mixture = UserMixture(project: project)
        profiles = (0..<64).map { mixture.makePerson($0) }
        users = profiles.map(\.user)
    }

    /// A copy with separate copies of the users, in an order that starts at another user.
    func withOwnUsers(startingAt start: Int) -> Subject {
        var copy = self
        copy.users = (profiles[start...] + profiles[..<start]).map(\.user)
        return copy
    }

    var scale: Scale {
        switch flagKeys.count {
        case ..<100: .small
        case ..<1_000: .medium
        default: .large
        }
    }

    /// Calls `body` with every flag in turn.
    ///
    /// The user changes after 64 flags, as in a process that decides several flags per request.
    @inline(__always)
    func rotate(_ times: Int, _ body: (String, User) -> Void) {
        rotate(times, among: users, body)
    }

    /// Calls `body` with every flag in turn, and with the elements of `people` as users.
    @inline(__always)
    func rotate<Person>(_ times: Int, among people: [Person], _ body: (String, Person) -> Void) {
        var done = 0
        var row = 0
        var flag = 0
        while done < times {
            let person = people[row % people.count]
            let end = min(times, done + 64)
            while done < end {
                body(flagKeys[flag], person)
                done += 1
                flag = flag + 1 == flagKeys.count ? 0 : flag + 1
            }
            row += 1
        }
    }
}

extension Subject {
    /// The sizes of generated datafiles.
    static let generatedSizes = [10, 100, 1_000]

    static func generated(flags: Int) throws -> Subject {
        try Subject(name: "generated-\(flags)", bytes: DatafileGenerator.datafile(flags: flags))
    }

    /// The datafiles on which other clients were measured, if they are on this machine.
    static func given() throws -> [Subject] {
        let folder = ProcessInfo.processInfo.environment["TURNOUT_DATAFILES"] ?? "../shared/datafiles"
        let names = [
            "benchmark/10_entities.json", "benchmark/100_entities.json", "generated/small.json",
            "generated/large.json",
        ]
        return try names.map { (name: $0, path: "\(folder)/\($0)") }
            .filter { FileManager.default.fileExists(atPath: $0.path) }
            .map { try Subject(name: URL(filePath: $0.name).lastPathComponent, bytes: contents(ofFile: $0.path)) }
    }

    /// The subject with a name used in figures, or a file.
    static func named(_ name: String) throws -> Subject {
        if name.hasPrefix("generated-"), let flags = Int(name.dropFirst("generated-".count)) {
            return try generated(flags: flags)
        }
        return try Subject(name: URL(filePath: name).lastPathComponent, bytes: contents(ofFile: name))
    }
}

/// Reads a file into a single block, since memory is measured around this call.
func contents(ofFile path: String) throws -> [UInt8] {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: path]) }
    defer { close(file) }
    let size = Int(lseek(file, 0, SEEK_END))
    lseek(file, 0, SEEK_SET)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        while count < size {
            let read = Foundation.read(file, buffer.baseAddress?.advanced(by: count), size - count)
            guard read > 0 else { return }
            count += read
        }
    }
}
