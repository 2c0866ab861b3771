// Package packgentest holds what the tests of several packages need of packgen: its programs,
// built once for the test binaries of all packages and again when their sources change.
package packgentest
