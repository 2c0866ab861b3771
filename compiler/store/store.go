package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"sync"
)

// Store keeps blobs and the results of actions. Its methods may be called from
// several goroutines. A [Group] and a [Memory] are stores.
type Store interface {
	// Action returns the result of the action of a key.
	Action(key Digest) (Result, bool)
	// SetAction keeps the result of an action. Its blobs should be in the store.
	SetAction(key Digest, r Result)
	// Has reports whether the store holds all bytes of a digest.
	Has(d Digest) bool
	// Blob returns the bytes of a digest. They are the caller's.
	Blob(d Digest) ([]byte, bool)
	// SetBlob keeps bytes, which stay the caller's, and returns their digest.
	SetBlob(data []byte) Digest
}

// Result is the result of an action: blobs in an order that the action knows.
type Result []Digest

// Digest is a SHA-256. The zero value stands for one that is not known.
type Digest [sha256.Size]byte

// Sum returns the digest of some bytes.
func Sum(data []byte) Digest { return sha256.Sum256(data) }

// ParseDigest reads 64 hex digits; anything else is the unknown digest.
func ParseDigest(digits string) (d Digest) {
	if len(digits) != 2*len(d) {
		return Digest{}
	}
	if _, err := hex.Decode(d[:], []byte(digits)); err != nil {
		return Digest{}
	}
	return d
}

// Known reports whether the digest is one.
func (d Digest) Known() bool { return d != Digest{} }

// String returns 64 lower-case hex digits; "" for an unknown digest.
func (d Digest) String() string {
	if !d.Known() {
		return ""
	}
	return hex.EncodeToString(d[:])
}

// Key returns the key of an action that depends on those texts and no more. No two
// lists of texts have the same key.
func Key(parts ...string) Digest {
	var buf [512]byte
	b := buf[:0]
	for _, part := range parts {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	return Sum(b)
}

// With returns a key that depends on more texts.
func (d Digest) With(parts ...string) Digest {
	return Key(append([]string{string(d[:])}, parts...)...)
}

// Recall reads into the value that v points to what Keep kept under a key; false when the
// store does not know it, or it is damaged.
func Recall(s Store, key Digest, v any) bool {
	result, ok := s.Action(key)
	if !ok || len(result) != 1 {
		return false
	}
	data, ok := s.Blob(result[0])
	if !ok {
		return false
	}
	return Decode(data, v)
}

// Keep keeps a value under a key.
func Keep(s Store, key Digest, v any) { s.SetAction(key, Result{s.SetBlob(Encode(v))}) }

// Do returns the one blob of an action, and does it when the store does not know it.
func Do(s Store, key Digest, action func() []byte) []byte {
	if r, ok := s.Action(key); ok && len(r) == 1 {
		if data, ok := s.Blob(r[0]); ok {
			return data
		}
	}
	data := action()
	s.SetAction(key, Result{s.SetBlob(data)})
	return data
}

// Memory is a store in memory. The zero value is empty.
type Memory struct {
	mu      sync.RWMutex
	blobs   map[Digest][]byte
	actions map[Digest]Result
}

// Action implements [Store].
func (m *Memory) Action(key Digest) (Result, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	r, ok := m.actions[key]
	return r, ok
}

// SetAction implements [Store].
func (m *Memory) SetAction(key Digest, r Result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.actions == nil {
		m.actions = map[Digest]Result{}
	}
	m.actions[key] = append(Result(nil), r...)
}

// Has implements [Store].
func (m *Memory) Has(d Digest) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, ok := m.blobs[d]
	return ok
}

// Blob implements [Store].
func (m *Memory) Blob(d Digest) ([]byte, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	data, ok := m.blobs[d]
	return append([]byte(nil), data...), ok
}

// SetBlob implements [Store].
func (m *Memory) SetBlob(data []byte) Digest {
	d := Sum(data)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.blobs == nil {
		m.blobs = map[Digest][]byte{}
	}
	if _, ok := m.blobs[d]; !ok {
		m.blobs[d] = append([]byte(nil), data...)
	}
	return d
}

var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

func checksum(data []byte) uint32 { return crc32.Checksum(data, castagnoli()) }
