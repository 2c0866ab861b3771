package remote

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/packgen/packgen/compiler/store"
)

// ErrAbsent says that a service does not have what it was asked for.
var ErrAbsent = errors.New("the service does not have it")

// Digest identifies bytes: a service wants their number, too.
type Digest struct {
	Sum  store.Digest
	Size int64
}

// DigestOf returns the digest of bytes.
func DigestOf(data []byte) Digest { return Digest{store.Sum(data), int64(len(data))} }

// Blob is bytes that a service may need.
type Blob struct {
	Digest
	Packed bool // it is compressed already: to do so again would cost time only
	Open   func() (io.ReadCloser, error)
}

// BlobOf returns bytes that are in memory.
func BlobOf(data []byte) Blob {
	return Blob{Digest: DigestOf(data), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
}

// Input is a file of the tree that an action starts with.
type Input struct {
	Path    string // clean slash path
	Program bool   // it may be executed
	Blob
}

// Command says what an action does. Paths are below the root of its input files.
type Command struct {
	Arguments   []string
	Environment map[string]string
	Platform    map[string]string // properties of the machines that may do it
	Outputs     []string          // paths of files
	Timeout     time.Duration     // 0 is that of the service
}

// Action is a command with its input files, as a client has described it.
type Action struct {
	Key      Digest
	Inputs   []Input
	Messages []Blob // that describe it
	Shown    []Blob // those of them that go with a result
}

// Blobs are all that a service needs to carry the action out.
func (a *Action) Blobs() []Blob {
	list := slices.Clone(a.Messages)
	for _, in := range a.Inputs {
		list = append(list, in.Blob)
	}
	return list
}

// Result is what an action has made: files by their paths.
type Result struct {
	Exit  int
	Files map[string]Digest
}
