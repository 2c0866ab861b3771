// Package cuttest makes documents that are hard to cut, for tests.
package cuttest
