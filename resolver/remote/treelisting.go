package remote

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/packpath"
)

// A listing is kept beside each tree of the cache. It starts with the text that
// the tree hash is the hash of, "<sha256>  <path>" in path order, so that one
// hash over it shows whether it is whole; a blank line and the sizes, in bytes,
// follow. A wrong size is found when the file is read.

// errListing is the error of a listing that is not what its tree hash says.
var errListing = errors.New("the listing does not fit the tree hash")

// appendListing writes the listing of files that are in path order.
func appendListing(dst []byte, files []archive.File) []byte {
	for _, f := range files {
		dst = append(dst, f.SHA256...)
		dst = append(dst, "  "...)
		dst = append(dst, f.Path...)
		dst = append(dst, '\n')
	}
	dst = append(dst, '\n')
	for _, f := range files {
		dst = strconv.AppendInt(dst, f.Size, 10)
		dst = append(dst, '\n')
	}
	return dst
}

// parseListing reads a listing whose hash must be that of the tree.
func parseListing(data []byte, tree string) ([]archive.File, error) {
	end := bytes.Index(data, []byte("\n\n")) + 1
	if end == 0 {
		return nil, errListing
	}
	sum := sha256.Sum256(data[:end])
	if "h1:"+base64.StdEncoding.EncodeToString(sum[:]) != tree {
		return nil, errListing
	}
	text := string(data)
	names, sizes := text[:end], text[end+1:]
	files := make([]archive.File, 0, bytes.Count(data[:end], []byte("\n")))
	for names != "" {
		var line, size string
		var whole bool
		line, names, _ = strings.Cut(names, "\n")
		size, sizes, whole = strings.Cut(sizes, "\n")
		digest, name, ok := strings.Cut(line, "  ")
		n, err := strconv.ParseInt(size, 10, 64)
		if !ok || !whole || err != nil || n < 0 || packpath.CheckPublished(name) != nil {
			return nil, errListing
		}
		if last := len(files) - 1; last >= 0 && files[last].Path >= name {
			return nil, errListing
		}
		files = append(files, archive.File{Path: name, Size: n, SHA256: digest})
	}
	if sizes != "" {
		return nil, errListing
	}
	return files, nil
}

// treeHex is the name of a tree on disk: its hash in hex.
func treeHex(tree string) (string, error) {
	text, ok := strings.CutPrefix(tree, "h1:")
	sum, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(sum) != sha256.Size {
		return "", errors.New("not a tree hash: " + strconv.Quote(shorten(tree)))
	}
	return hex.EncodeToString(sum), nil
}
