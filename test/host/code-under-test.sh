#!/bin/sh
# The "VS Code executable" for @vscode/test-electron: point VSCODE_TEST_EXECUTABLE at this file.
exec node "$(dirname "$0")/codeUnderTest.mjs" "$@"
