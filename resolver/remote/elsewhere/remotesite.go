package elsewhere

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/resolver/remote/fetch"
)

// remoteJobs is how many files of a published site are asked for at once.
const remoteJobs = 8

// maxRemoteMemory is the largest file of a site that is held in memory, in bytes;
// larger ones wait in a temporary file.
const maxRemoteMemory = 4 << 20

// remoteSite shows the files of a published site as a file system that cannot be
// listed. No file may be larger than the site's manifest says.
type remoteSite struct {
	ctx    context.Context // of the whole check
	client *fetch.Client
	base   string // with a final slash

	mu    sync.Mutex
	sizes map[string]int64  // bytes by path; nil before the manifest was read
	kept  map[string]string // temporary files by path
	temp  *scratch.Dir      // where they are; nil before the first
}

func newRemoteSite(ctx context.Context, client *fetch.Client, base string) *remoteSite {
	if !strings.HasSuffix(base, "/") {
		base += "/"
	}
	return &remoteSite{ctx: ctx, client: client, base: base, kept: map[string]string{}}
}

// close removes the temporary files.
func (s *remoteSite) close() {
	if s.temp != nil {
		_ = s.temp.Remove() // what is left the next run removes
	}
}

// Open implements fs.FS. A file that the server does not have is fs.ErrNotExist,
// one that is larger than recorded archive.ErrLonger.
func (s *remoteSite) Open(name string) (fs.File, error) {
	s.mu.Lock()
	size, known := s.sizes[name]
	keep := s.kept[name]
	listed := s.sizes != nil
	s.mu.Unlock()
	switch {
	case listed && !known:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case keep != "":
		return os.Open(keep)
	case known && size > maxRemoteMemory:
		return s.download(name, size)
	}
	limit := size
	if !known {
		limit = schema.MaxSiteManifest
	}
	data, err := s.client.File(s.ctx, s.base, name, limit)
	if err != nil {
		return nil, explainRemote(name, err)
	}
	if name == schema.SiteManifestName {
		s.learn(data)
	}
	return &memoryFile{Reader: bytes.NewReader(data), name: path.Base(name), size: int64(len(data))}, nil
}

// learn takes the sizes from the manifest; one that cannot be read is for the
// check to report.
func (s *remoteSite) learn(data []byte) {
	m, err := schema.DecodeSiteManifest(data)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sizes = make(map[string]int64, len(m.Files))
	for _, f := range m.Files {
		s.sizes[f.Path] = f.Size
	}
	s.sizes[schema.SiteManifestName] = int64(len(data))
}

// download brings a large file into a temporary one, which is kept: archives are
// read twice.
func (s *remoteSite) download(name string, size int64) (fs.File, error) {
	f, err := s.keep(name)
	if err != nil {
		return nil, fmt.Errorf("make a place for %s: %w", name, err)
	}
	address := s.base + (&url.URL{Path: name}).EscapedPath()
	_, got, err := s.client.Download(s.ctx, fetch.Resolved{Source: fetch.SourceURL, URL: address, Name: path.Base(name), Size: size}, f)
	if err == nil && got > size {
		err = archive.ErrLonger
	}
	if err == nil {
		_, err = f.Seek(0, 0)
	}
	if err != nil {
		f.Close()
		return nil, explainRemote(name, err)
	}
	return f, nil
}

// keep makes a temporary file for one of the site.
func (s *remoteSite) keep(name string) (*os.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.temp == nil {
		temp, err := scratch.NewDir("verify")
		if err != nil {
			return nil, err
		}
		s.temp = temp
	}
	f, err := regularfile.CreateTemp(s.temp.Path, "*")
	if err == nil {
		s.kept[name] = f.Name()
	}
	return f, err
}

// memoryFile is a file whose bytes are in memory.
type memoryFile struct {
	*bytes.Reader
	name string
	size int64
}

func (f *memoryFile) Close() error { return nil }

func (f *memoryFile) Stat() (fs.FileInfo, error) { return memoryInfo{f.name, f.size}, nil }

type memoryInfo struct {
	name string
	size int64
}

func (i memoryInfo) Name() string { return i.name }

func (i memoryInfo) Size() int64 { return i.size }

func (memoryInfo) Mode() fs.FileMode { return 0o444 }

func (memoryInfo) ModTime() time.Time { return time.Time{} }

func (memoryInfo) IsDir() bool { return false }

func (memoryInfo) Sys() any { return nil }
