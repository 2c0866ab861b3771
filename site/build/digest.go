package build

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// measure counts and hashes the bytes written to it.
type measure struct {
	size int64
	sum  hash.Hash
}

func newSum() *measure { return &measure{sum: sha256.New()} }

// Write implements io.Writer; it never fails.
func (m *measure) Write(data []byte) (int, error) {
	m.size += int64(len(data))
	return m.sum.Write(data)
}

// reset forgets what was written.
func (m *measure) reset() {
	m.size = 0
	m.sum.Reset()
}

// hex is the SHA-256 of what was written, as 64 lower-case hex digits.
func (m *measure) hex() string { return hex.EncodeToString(m.sum.Sum(nil)) }
