// Programs import nothing else: the framework that they were written for brought Foundation along.
@_exported public import Foundation

#if canImport(FoundationNetworking)
    @_exported public import FoundationNetworking
#endif
