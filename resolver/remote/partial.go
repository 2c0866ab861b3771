package remote

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/remote/fetch"
)

// partialDir holds, in a cache, what came of archives whose download was broken off:
// <key>, and beside it <key>.version with what the server said of its version.
const partialDir = "partial"

// uploadsName is the file, beside the downloads, that remembers uploads.
const uploadsName = "uploads.json"

// Uploads is what the cache remembers of uploads.
func (c *Cache) Uploads() fetch.Uploads {
	return fetch.Uploads{Name: filepath.Join(c.dir, partialDir, uploadsName)}
}

// maxValidator is the longest version that is kept, in bytes.
const maxValidator = 1 << 10

// bring downloads an archive to a file. What came before a process ended is continued by
// the next one.
func (c *Cache) bring(ctx context.Context, client *fetch.Client, from fetch.Resolved, to string) (digest string, err error) {
	key := recordKey("partial", from.URL, from.Digest)
	done, err := c.alone(ctx, key)
	if err != nil {
		return "", err
	}
	defer done()
	name := filepath.Join(c.dir, partialDir, key)
	version := name + ".version"
	if err := regularfile.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return "", cacheFault("make the cache: %w", err)
	}
	file, _, err := regularfile.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return "", cacheFault("make a file in the cache: %w", err)
	}
	part := fetch.Part{Note: func(validator string) {
		if validator == "" {
			_ = regularfile.Remove(version) // without it the download begins again
			return
		}
		_ = atomicfile.Write(version, []byte(validator)) // see above
	}}
	if data, err := atomicfile.Read(version, maxValidator); err == nil {
		part.Validator = string(data)
	}
	digest, _, err = client.Continue(ctx, from, file, part)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		_, known := os.Stat(version)
		if mismatch := (*fetch.MismatchError)(nil); errors.As(err, &mismatch) || known != nil && from.Source != fetch.SourceOCI {
			_ = errors.Join(removed(name), removed(version)) // it cannot be continued
		}
		return "", err
	}
	if err := errors.Join(regularfile.Rename(name, to), removed(version)); err != nil {
		return "", cacheFault("keep a download in the cache: %w", err)
	}
	return digest, nil
}

// removed removes a file that may not exist.
func removed(name string) error {
	if err := regularfile.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
