//go:build !linux

package store

// FineTimes knows nothing of file systems here.
func FineTimes(string) bool { return false }
