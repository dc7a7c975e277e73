import Testing

@testable import posix_suite
