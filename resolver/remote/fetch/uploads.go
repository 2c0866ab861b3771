package fetch

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/regularfile"
)

// Limits of the memory of uploads.
const (
	maxRemembered  = 500     // blobs, and uploads, each
	maxMemoryBytes = 1 << 20 // of its file
	memoryVersion  = 1
)

// Uploads remembers, in a file of a user's own, in which repositories blobs are and which
// uploads were broken off. What it forgets is sent again; processes that write it at once
// may lose an entry. Its zero value remembers nothing.
type Uploads struct {
	Name string // the file; its directory is made
}

// uploadMemory is what the file holds, newest first.
type uploadMemory struct {
	Version int            `json:"version"`
	Blobs   []rememberedAt `json:"blobs"`
	Begun   []rememberedAt `json:"begun"`
}

// rememberedAt is a blob in a repository; Location is where its upload continues.
type rememberedAt struct {
	Host       string `json:"host"`
	Repository string `json:"repository"`
	Digest     string `json:"digest"`
	Location   string `json:"location,omitempty"`
}

// read reads the file. One that cannot be used is an empty one.
func (u Uploads) read() uploadMemory {
	var m uploadMemory
	if u.Name == "" {
		return m
	}
	data, err := atomicfile.Read(u.Name, maxMemoryBytes)
	if err != nil || json.Unmarshal(data, &m) != nil || m.Version != memoryVersion {
		return uploadMemory{}
	}
	return m
}

// change writes the file as change makes it. That it cannot be written costs an upload at
// most.
func (u Uploads) change(change func(*uploadMemory)) {
	if u.Name == "" {
		return
	}
	m := u.read()
	m.Version = memoryVersion
	change(&m)
	m.Blobs, m.Begun = m.Blobs[:min(len(m.Blobs), maxRemembered)], m.Begun[:min(len(m.Begun), maxRemembered)]
	data, err := json.Marshal(m)
	if err == nil && regularfile.MkdirAll(filepath.Dir(u.Name), 0o700) == nil {
		_ = atomicfile.Write(u.Name, data) // see above
	}
}

// same reports the same blob of the same repository.
func (r rememberedAt) same(other rememberedAt) bool {
	return r.Host == other.Host && r.Repository == other.Repository && r.Digest == other.Digest
}

// done remembers that a repository has a blob.
func (u Uploads) done(at rememberedAt) {
	at.Location = ""
	u.change(func(m *uploadMemory) {
		m.Begun = slices.DeleteFunc(m.Begun, at.same)
		m.Blobs = slices.Insert(slices.DeleteFunc(m.Blobs, at.same), 0, at)
	})
}

// begun remembers where an upload continues; "" forgets it.
func (u Uploads) begun(at rememberedAt) {
	u.change(func(m *uploadMemory) {
		m.Begun = slices.DeleteFunc(m.Begun, at.same)
		if at.Location != "" {
			m.Begun = slices.Insert(m.Begun, 0, at)
		}
	})
}

// elsewhere is another repository of the host that has the blob, "" for none.
func (u Uploads) elsewhere(at rememberedAt) string {
	for _, known := range u.read().Blobs {
		if known.Host == at.Host && known.Digest == at.Digest && known.Repository != at.Repository {
			return known.Repository
		}
	}
	return ""
}

// continued is where the upload of a blob continues; nil for none.
func (u Uploads) continued(at rememberedAt, base *url.URL) *url.URL {
	for _, known := range u.read().Begun {
		if location, err := url.Parse(known.Location); err == nil && known.same(at) && origin(location) == origin(base) {
			return location
		}
	}
	return nil
}
