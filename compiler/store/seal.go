package store

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"hash"
	"os"
	"path/filepath"
	"sync"

	"github.com/packgen/packgen/compiler/regularfile"
)

// KeyVariable names the variable with a secret that takes the place of the user's key file.
// Machines that share what they keep share it.
const KeyVariable = "PACKGEN_STORE_KEY"

// keyName is the file of the user's key, below the user's cache directory.
const keyName = "packgen/store.key"

// leastSecret is the least length in bytes of what KeyVariable holds: a shorter one is
// guessed, and is not used.
const leastSecret = 16

// sealSize is how many bytes a seal has.
const sealSize = len(Digest{})

// userKey is the key that seals are made with. What is kept below a checkout came with the
// checkout unless it has a seal of this key.
var userKey = sync.OnceValue(func() Digest { return readKey(os.Getenv(KeyVariable), os.UserCacheDir) })

// readKey returns the key of a secret; without one, that of the file, which is made when it
// is absent. Where there can be no file, the key is that of this process alone: nothing of
// an earlier run is believed.
func readKey(secret string, cacheDir func() (string, error)) Digest {
	if len(secret) >= leastSecret {
		return Key("store key", secret)
	}
	fresh := newKey()
	dir, err := cacheDir()
	if err != nil {
		return fresh
	}
	name := filepath.Join(dir, filepath.FromSlash(keyName))
	if key, ok := keyFile(name); ok {
		return key
	}
	if !writeKey(name, fresh) {
		return fresh
	}
	if key, ok := keyFile(name); ok { // another process may have been faster
		return key
	}
	return fresh
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

// writeKey puts a key into a file, whole or not at all. A key that is there stays; anything
// else is replaced.
func writeKey(name string, key Digest) bool {
	if os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return false
	}
	out, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*"+tempEnding)
	if err != nil {
		return false
	}
	defer os.Remove(out.Name())
	_, err = out.Write(key[:])
	if closed := out.Close(); err != nil || closed != nil {
		return false
	}
	if os.Link(out.Name(), name) == nil {
		return true
	}
	if _, ok := keyFile(name); ok {
		return true
	}
	return os.Rename(out.Name(), name) == nil
}

// sealOf returns the seal of the bytes that a SHA-256 has taken.
func sealOf(sum hash.Hash) []byte {
	key := userKey()
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
