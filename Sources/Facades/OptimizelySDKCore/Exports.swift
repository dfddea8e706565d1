// Programs import only this module, because the original framework re-exported Foundation.
@_exported public import Foundation

#if canImport(FoundationNetworking)
    @_exported public import FoundationNetworking
#endif
