import Foundation
import TestProcesses
import TestSupport
import TurnoutServer

/// The description of the routes, compared with the table.
@Suite("OpenAPI") struct OpenAPITests {
    private struct Operation: Hashable, Comparable {
        let path: String
        let method: String

        static func < (left: Operation, right: Operation) -> Bool {
            (left.path, left.method) < (right.path, right.method)
        }
    }

    /// The operations of the document, and the lines of each.
    private static let described: [Operation: String] = {
        var operations: [Operation: String] = [:]
        var (path, current) = ("", Operation?.none)
        for line in OpenAPIDocument.text.split(separator: "\n") {
            let indentation = line.prefix { $0 == " " }.count
            let name = line.dropFirst(indentation).dropLast()
            if indentation == 0 { current = nil }
            if indentation == 2, name.first == "/" { (path, current) = (String(name), nil) }
            if indentation == 4, !path.isEmpty, ["get", "put", "post", "delete"].contains(name) {
                current = Operation(path: path, method: name.uppercased())
            }
            if let current { operations[current, default: ""] += line + "\n" }
        }
        return operations
    }()

    /// The routes but for the pages of the console, which are for people.
    private static var routes: [Route] {
        get throws { try ShopServer().server.routes.routes.filter { !$0.pattern.hasPrefix("/console") } }
    }

    /// The path in the document: batches are described under the path that the vendor's clients use.
    private static func path(_ route: Route) -> String {
        route.pattern.replacing("…", with: "").replacing("*", with: "/v1")
    }

    /// Python with a validator, installed by `Scripts/setup`.
    private static let python =
        URL(filePath: #filePath).pathComponents.dropLast(5).joined(separator: "/") + "/.build/openapi/bin/python"
    private static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: python) }

    @Test(.enabled(if: isInstalled, "Scripts/setup installs the validator"))
    func theDescriptionIsValid() async throws {
        let text = Data(OpenAPIDocument.text.utf8)
        let result = try await blocking {
            try ChildProcess.output(of: Self.python, ["-m", "openapi_spec_validator", "-"], input: text)
        }
        #expect(result.hasSuffix("OK\n"), "\(result)")
    }

    @Test func theDescriptionHasTheRoutesOfTheTable() throws {
        let routes = try Self.routes
        let served = Set(routes.map { Operation(path: Self.path($0), method: $0.method) })
        #expect(served.count == routes.count, "two routes have the same method and path")
        #expect(Set(Self.described.keys).subtracting(served).sorted() == [])
        #expect(served.subtracting(Self.described.keys).sorted() == [])
    }

    @Test func theDescriptionHasTheAccessOfTheTable() throws {
        for route in try Self.routes {
            let path = Self.path(route)
            let text = Self.described[Operation(path: path, method: route.method)] ?? ""
            if case .management(let scope) = route.access {
                #expect(text.contains("security: [{management: [\(scope.rawValue)]}]"), "\(route.pattern)")
            } else {
                #expect(!text.contains("management"), "\(route.pattern)")
            }
            let parameters = path.split(separator: "{").count - 1
            #expect(text.ranges(of: "in: path").count == parameters, "\(route.method) \(route.pattern)")
        }
    }
}
