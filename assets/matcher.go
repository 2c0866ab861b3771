package assets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// maxMatcher is the largest unpacked matcher, in bytes.
const maxMatcher = 16 << 20 // 16 MiB

// Matcher returns the matcher that a site publishes, packed and under its hashed
// name, and its WebAssembly module. It is an error when the module is not the one
// that was noted when it was built.
func Matcher() (packed File, module []byte, err error) {
	packed, _, err = matcher()
	if err != nil {
		return File{}, nil, err
	}
	unpack, err := gzip.NewReader(bytes.NewReader(packed.Data))
	if err != nil {
		return File{}, nil, fmt.Errorf("unpack the embedded matcher: %w", err)
	}
	if module, err = io.ReadAll(io.LimitReader(unpack, maxMatcher)); err != nil {
		return File{}, nil, fmt.Errorf("unpack the embedded matcher: %w", err)
	}
	noted, err := plainSum()
	if err != nil {
		return File{}, nil, err
	}
	if sum := sha256.Sum256(module); hex.EncodeToString(sum[:]) != noted {
		return File{}, nil, errors.New("the embedded matcher is not the one that its digest was recorded for")
	}
	return packed, module, nil
}
