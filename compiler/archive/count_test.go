package archive_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/oktest"
)

// Nothing of a tar archive with too many entries is unpacked: progress counts what
// is read to be unpacked.
func TestTooManyEntriesAreCountedBeforeTheFirstIsWritten(t *testing.T) {
	plain := tarOf(t, item{name: "a", body: "x"}, item{name: "b", body: "y"}, item{name: "c", body: "z"})
	for name, data := range map[string][]byte{"a.tar": plain, "a.tar.gz": gzipOf(t, plain)} {
		for files, taken := range map[int]bool{2: false, 3: true} {
			file := filepath.Join(t.TempDir(), name)
			oktest.Check(t, os.WriteFile(file, data, 0o666))
			read := int64(0)
			_, err := archive.Extract(context.Background(), file, filepath.Join(t.TempDir(), "out"), archive.Options{
				Limits: archive.Limits{Files: files}, Progress: func(done, _ int64) { read = max(read, done) },
			})
			var refusal *archive.Refusal
			switch {
			case taken && (err != nil || read == 0):
				t.Errorf("%s within the limit: %v, %d bytes read", name, err, read)
			case !taken && (!errors.As(err, &refusal) || refusal.Rule != archive.RuleTooMany || read != 0):
				t.Errorf("%s beyond the limit: %v, %d bytes read to be unpacked", name, err, read)
			}
		}
	}
}
