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
