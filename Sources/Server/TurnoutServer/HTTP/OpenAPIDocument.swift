/// The description of all routes in OpenAPI 3.0, `openapi.yaml`, served under that name. A test compares it with the
/// route table.
package enum OpenAPIDocument {
    static let response = ServerResponse(
        200, headers: ["Content-Type": "application/yaml; charset=utf-8"],
        body: .shared(SharedBody(PackageResources.openapi_yaml)))

    package static var text: String { String(decoding: PackageResources.openapi_yaml, as: UTF8.self) }
}
