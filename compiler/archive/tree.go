package archive

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// File is a file of a published tree.
type File struct {
	Path   string `json:"path"`   // relative, with slashes
	Size   int64  `json:"size"`   // bytes
	SHA256 string `json:"sha256"` // 64 lower-case hex digits
}

// TreeHash returns the identity of a tree: the hash "h1:" that
// golang.org/x/mod/sumdb/dirhash gives the same files under the same paths. The
// order of the list does not matter. A pack's pack.json and pack.tar.gz are not
// part of its tree; callers leave them out.
func TreeHash(files []File) string {
	list := slices.Clone(files)
	slices.SortFunc(list, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	h := sha256.New()
	for _, f := range list {
		fmt.Fprintf(h, "%s  %s\n", f.SHA256, f.Path) // a hash never fails
	}
	return "h1:" + base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// SHA256 returns the digest of a file's bytes as [File] writes it.
func SHA256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
