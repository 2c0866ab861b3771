package store

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"

	"github.com/packgen/packgen/compiler/regularfile"
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

// keyVariable names the variable with a secret that takes the place of the user's key file.
// Machines that share what they keep share it.
const keyVariable = "PACKGEN_STORE_KEY"

// keyName is the file of the user's key, below the user's cache directory.
const keyName = "packgen/store.key"

// leastSecret is the least length in bytes of what keyVariable holds: a shorter one is
// guessed, and is not used.
const leastSecret = 16

// sealSize is how many bytes a seal has.
const sealSize = len(Digest{})

// userKey is the key that seals are made with. What is kept below a checkout came with the
// checkout unless it has a seal of this key.
var userKey = sync.OnceValue(func() *sealKey { return findKey(os.Getenv(keyVariable), os.UserCacheDir) })

// sealKey is a key, and the file that it has yet to be written to.
type sealKey struct {
	Digest
	file string // "" when it is there, or there can be none
	once sync.Once
}

// findKey returns the key of a secret; without one, that of the file, or a new one for it.
// Where there can be no file, the key is that of this process alone: nothing of an earlier
// run is believed.
func findKey(secret string, cacheDir func() (string, error)) *sealKey {
	if len(secret) >= leastSecret {
		return &sealKey{Digest: Key("store key", secret)}
	}
	dir, err := cacheDir()
	if err != nil {
		return &sealKey{Digest: newKey()}
	}
	name := filepath.Join(dir, filepath.FromSlash(keyName))
	if key, ok := keyFile(name); ok {
		return &sealKey{Digest: key}
	}
	return &sealKey{Digest: newKey(), file: name}
}

// keep writes a new key, before the first thing that is sealed with it is kept. Of two
// processes that do so for the first time, what the later one keeps is not believed.
func (k *sealKey) keep() {
	k.once.Do(func() {
		if k.file != "" {
			writeKey(k.file, k.Digest)
		}
	})
}

func newKey() (key Digest) {
	_, _ = rand.Read(key[:]) // it never fails
	return key
}

// keyFile reads the key of a file.
func keyFile(name string) (key Digest, ok bool) {
	f, info, err := regularfile.Open(name)
	if err != nil {
		return key, false
	}
	defer f.Close()
	n, err := f.Read(key[:])
	return key, err == nil && n == len(key) && info.Size() == int64(n) && key.Known()
}

// writeKey puts a key into a file, whole or not at all. One that another process has
// written meanwhile stays.
func writeKey(name string, key Digest) {
	if regularfile.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	out, err := regularfile.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*"+tempEnding)
	if err != nil {
		return
	}
	_, err = out.Write(key[:])
	closed := out.Close()
	if _, taken := keyFile(name); taken || err != nil || closed != nil || regularfile.Rename(out.Name(), name) != nil {
		_ = regularfile.Remove(out.Name()) // without a key the next run does everything again
	}
}

// sealOf returns the seal of the bytes that a SHA-256 has taken.
func sealOf(sum hash.Hash) []byte {
	key := userKey().Digest
	seal := Sum(sum.Sum(key[:]))
	return seal[:]
}

// sealed reports whether a seal is that of the bytes that a SHA-256 has taken.
func sealed(sum hash.Hash, seal []byte) bool {
	return subtle.ConstantTimeCompare(sealOf(sum), seal) == 1
}

// Seal appends to bytes of a purpose the seal of the user, by which [Unseal] knows what
// this user has written. It is for files below a checkout that later runs believe.
func Seal(purpose string, data []byte) []byte {
	userKey().keep()
	return seal(purpose, data)
}

func seal(purpose string, data []byte) []byte {
	return append(data, sealOf(hashOf(purpose, data))...)
}

// Unseal returns the bytes that [Seal] was given; false for any others.
func Unseal(purpose string, data []byte) ([]byte, bool) {
	end := len(data) - sealSize
	if end < 0 || !sealed(hashOf(purpose, data[:end]), data[end:]) {
		return nil, false
	}
	return data[:end:end], true
}

// hashOf hashes bytes of a purpose, so that a seal is of use for no other purpose.
func hashOf(purpose string, data []byte) hash.Hash {
	sum := sha256.New()
	of := Key(purpose)
	sum.Write(of[:])
	sum.Write(data)
	return sum
}
