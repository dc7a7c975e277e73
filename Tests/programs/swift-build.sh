#!/usr/bin/env bash
# The Swift compiler builds a small package here, incrementally too, and it runs.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/setting.sh"

mkdir -p "$work/package/Sources/Greeting" "$work/package/Sources/greet"
cd "$work/package"
cat >Package.swift <<'SWIFT'
// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "greet",
    targets: [.target(name: "Greeting"), .executableTarget(name: "greet", dependencies: ["Greeting"])])
SWIFT
echo 'public func greeting(_ name: String) -> String { "Hello, \(name)" }' >Sources/Greeting/Greeting.swift
printf 'import Greeting\n\nprint(greeting("home"))\n' >Sources/greet/main.swift
swift build --quiet >&2
.build/debug/greet
sed -i 's/Hello/Good evening/' Sources/Greeting/Greeting.swift
swift build --quiet >&2
.build/debug/greet
rm -r .build
ls
