package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"strings"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// archive checks the archive of a pack against its pack.json, without unpacking
// it: the same files, of the same bytes, and the same pack.json. Nothing is read
// beyond what pack.json lets expect.
func (v *verifier) archive(name string, m *schema.PackManifest, manifest []byte) error {
	f, err := v.open(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotAFile) {
		return nil // a site without archives, or one whose manifest says it is missing
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	left := map[string]File{schema.PackManifestName: {schema.PackManifestName, int64(len(manifest)), SHA256(manifest)}}
	for _, file := range m.Files {
		left[file.Path] = File(file)
	}
	if err := v.entries(name, f, m.Name+"/", left); err != nil {
		v.report(publishedInvalid, name, "publish the pack again", "the archive cannot be read: %v", err)
		return nil
	}
	for _, file := range append([]schema.PublishedFile{{Path: schema.PackManifestName}}, m.Files...) {
		if _, missing := left[file.Path]; missing {
			v.report(publishedMissing, name, "publish the pack again", "the archive does not hold %s; pack.json lists it", diag.Printable(file.Path))
		}
	}
	return nil
}

// entries compares the entries of an archive with what is expected, and takes
// from left what was met. The error is about the archive itself.
func (v *verifier) entries(name string, r io.Reader, top string, left map[string]File) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	t := tar.NewReader(z)
	passed := int64(0) // bytes of entries that are not of the listed size
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		want, known := left[strings.TrimPrefix(h.Name, top)]
		if !known || h.Typeflag != tar.TypeReg || !strings.HasPrefix(h.Name, top) {
			v.report(publishedExtra, name, "publish the pack again", "the archive holds %s, which pack.json does not list", diag.Printable(h.Name))
			clear(left) // what follows is not read
			return nil
		}
		delete(left, want.Path)
		got := File{Path: want.Path, Size: h.Size}
		sum := sha256.New()
		if got.Size == want.Size {
			if err := v.sum(sum, t, want); err != nil {
				return err
			}
			got.SHA256 = hex.EncodeToString(sum.Sum(nil))
		} else if passed += got.Size; passed > defaultBytes {
			return fmt.Errorf("more than %s that pack.json does not list", bytesize.Text(defaultBytes))
		}
		if got.SHA256 != want.SHA256 {
			v.report(publishedChanged, name, "publish the pack again", "in the archive %s has %s; pack.json says %d bytes with the SHA-256 %s",
				diag.Printable(got.Path), measured(got), want.Size, want.SHA256)
		}
	}
	return ended(z)
}

// sum hashes an entry. Of Markdown that a site publishes with other bytes it finds out whether
// they are what is left without hidden text.
func (v *verifier) sum(sum hash.Hash, r io.Reader, want File) error {
	shown, differs := v.shown[want.Path]
	if !differs || want.Size > pack.MaxFileSize {
		_, err := io.Copy(sum, r)
		return err
	}
	data, err := io.ReadAll(io.TeeReader(r, sum))
	if err == nil && SHA256(v.o.Visible(want.Path, data)) == shown.SHA256 {
		delete(v.shown, want.Path)
	}
	return err
}

// measured says what is known of a file that is not the one expected.
func measured(f File) string {
	if f.SHA256 == "" {
		return fmt.Sprintf("%d bytes", f.Size)
	}
	return fmt.Sprintf("%d bytes with the SHA-256 %s", f.Size, f.SHA256)
}

// ended reports more than padding after the last entry.
func ended(r io.Reader) error {
	const most = 1 << 20 // bytes of padding
	rest, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return err
	}
	if len(rest) > most || len(bytes.Trim(rest, "\x00")) > 0 {
		return errors.New("something follows the last entry")
	}
	return nil
}
