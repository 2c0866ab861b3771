package archive

import (
	"context"
	"errors"
)

// Extracted is what came out of an archive.
type Extracted struct {
	Format string // "tar", "tar.gz", "zip", or layers from the outside in, such as "zip+tar"
	Files  []File // in path order
}

// Extract unpacks an archive file into a directory, which must not exist or be
// empty. What the archive is, its bytes say, not its name: tar, tar.gz or zip. A
// container that holds archives alone is unpacked further: one archive takes its
// place, several become a folder each, named after the archive.
//
// Everything is written into a temporary directory beside dir, which is renamed to
// dir when the whole archive has been read and found good; when it is not, or ctx
// ends, nothing remains. Files get mode 0644, folders 0755, and the current time;
// empty folders are left out. The error is a *Refusal when the archive is at fault.
func Extract(ctx context.Context, name, dir string, o Options) (*Extracted, error) {
	return nil, errors.New("not there yet")
}
