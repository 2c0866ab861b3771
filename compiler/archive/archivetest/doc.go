// Package archivetest lists trees of files for tests. It is imported by tests alone.
package archivetest
