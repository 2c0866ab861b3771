package archive

import (
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
)

// The limits on an archive that a caller does not set.
const (
	defaultFiles        = 2 * schema.MaxPackFiles // files and folders: a pack of the largest size and its folders
	defaultBytes        = 1 << 30                 // bytes of all files unpacked
	defaultFileBytes    = pack.MaxFileSize        // bytes of one file unpacked
	DefaultArchiveBytes = 512 << 20               // bytes of an archive
	defaultPathBytes    = packpath.MaxBytes + 256 // bytes of a path: a pack's own below a folder or two
	DefaultDepth        = 64                      // names in a path, the file's own among them
	defaultNested       = 3                       // archives one inside another, the outermost among them
)

// Limits bound what an archive may make of a disk and of memory. They hold for
// what is really read and written, whatever the archive says of itself. A value
// of zero or less is the default.
type Limits struct {
	Files        int   // files and folders, whether the archive names a folder or a path implies it
	Bytes        int64 // bytes of all files unpacked; archives inside archives have the same again, each layer for itself
	FileBytes    int64 // bytes of one file unpacked; for a file that is an archive by its name, ArchiveBytes
	ArchiveBytes int64 // bytes of an archive, also of one inside another
	PathBytes    int   // bytes of a path
	Depth        int   // names in a path, the file's own among them
	Nested       int   // archives one inside another, the outermost among them; tar.gz is one
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Files:        orDefault(l.Files, defaultFiles),
		Bytes:        orDefault(l.Bytes, defaultBytes),
		FileBytes:    orDefault(l.FileBytes, defaultFileBytes),
		ArchiveBytes: orDefault(l.ArchiveBytes, DefaultArchiveBytes),
		PathBytes:    orDefault(l.PathBytes, defaultPathBytes),
		Depth:        orDefault(l.Depth, DefaultDepth),
		Nested:       orDefault(l.Nested, defaultNested),
	}
}

func orDefault[T int | int64](value, standard T) T {
	if value <= 0 {
		return standard
	}
	return value
}

// Options say how an archive is read. The zero value is ready to use.
type Options struct {
	Limits Limits
	// Progress, when set, is called with how many bytes of the archive have been read,
	// and how many there are. The total grows when an archive turns out to hold
	// another one. It is called from one goroutine.
	Progress func(done, total int64)
}
