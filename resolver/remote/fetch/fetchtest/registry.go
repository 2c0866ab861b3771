package fetchtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Registry is a stand-in for a registry of OCI artifacts.
type Registry struct {
	*Server
	Basic bool   // asks for a login by name and password
	Token bool   // asks for a token, which /token gives for name and password
	Realm string // the server of tokens that is named; "" is this one

	NoReferrers bool  // does not list what refers to a manifest
	Separate    bool  // a repository has the blobs alone that were written to it or mounted there
	NoMount     bool  // does not know mounting
	BreakAt     int64 // close the connection, once, when that many bytes of an upload in pieces have come

	lock      sync.Mutex
	manifests map[string][]byte // by NAME/TAG and by NAME/DIGEST
	kinds     map[string]string // their media types
	blobs     map[string][]byte // by digest
	owners    map[string]bool   // NAME/DIGEST
	sessions  map[string][]byte // what came of uploads in pieces, by id
}

// RegistryPassword is what lets the user "me" in.
const RegistryPassword = "hunter2"

const registryToken = "t0ken-of-the-registry"

// NewRegistry starts an empty registry that ends with the test.
func NewRegistry(t testing.TB) *Registry {
	t.Helper()
	r := &Registry{manifests: map[string][]byte{}, kinds: map[string]string{}, blobs: map[string][]byte{}, owners: map[string]bool{}, sessions: map[string][]byte{}}
	r.Server = NewServer(t, http.HandlerFunc(r.serve))
	return r
}

// NewTLSRegistry is NewRegistry over https, with the certificate of NewTLSServer.
func NewTLSRegistry(t testing.TB) *Registry {
	t.Helper()
	r := &Registry{manifests: map[string][]byte{}, kinds: map[string]string{}, blobs: map[string][]byte{}, owners: map[string]bool{}, sessions: map[string][]byte{}}
	r.Server = NewTLSServer(t, http.HandlerFunc(r.serve))
	return r
}

// Host is what stands for the registry in a reference.
func (r *Registry) Host() string { return r.HTTP.Listener.Addr().String() }

// Manifest returns a manifest by tag or digest, nil when there is none.
func (r *Registry) Manifest(name, reference string) []byte {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.manifests[name+"/"+reference]
}

// Blob returns a blob by digest, nil when there is none.
func (r *Registry) Blob(as string) []byte {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.blobs[as]
}

// PutManifest makes a manifest what a tag or a digest stands for, whatever it is.
func (r *Registry) PutManifest(name, reference, kind string, data []byte) {
	r.lock.Lock()
	defer r.lock.Unlock()
	for _, as := range []string{reference, digest(data)} {
		r.manifests[name+"/"+as], r.kinds[name+"/"+as] = data, kind
	}
}

// PutBlob keeps bytes under a digest, whether it is theirs or not; "" is theirs.
func (r *Registry) PutBlob(as string, data []byte) string {
	if as == "" {
		as = digest(data)
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	r.blobs[as] = data
	return as
}

// Uploads counts the blobs that clients wrote.
func (r *Registry) Uploads() int {
	n := 0
	for _, q := range r.Requests() {
		if strings.Contains(q.Path, "/blobs/uploads/") && strings.Contains(q.Query, "digest=") {
			n++
		}
	}
	return n
}

func (r *Registry) serve(w http.ResponseWriter, q *http.Request) {
	if q.URL.Path == "/token" {
		r.giveToken(w, q)
		return
	}
	if !r.mayEnter(w, q) {
		return
	}
	rest, ok := strings.CutPrefix(q.URL.Path, "/v2/")
	if !ok {
		http.NotFound(w, q)
		return
	}
	for kind, answer := range map[string]func(w http.ResponseWriter, q *http.Request, name, rest string){
		"/manifests/": r.manifest, "/referrers/": r.referrers, "/blobs/uploads/": r.upload, "/blobs/": r.blob,
	} {
		name, part, found := strings.Cut(rest, kind)
		if found && (kind != "/blobs/" || !strings.HasPrefix(part, "uploads/")) {
			answer(w, q, name, part)
			return
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"tags": []string{}})
}

// mayEnter asks for a login where the registry wants one.
func (r *Registry) mayEnter(w http.ResponseWriter, q *http.Request) bool {
	user, password, _ := q.BasicAuth()
	switch {
	case r.Basic && (user != "me" || password != RegistryPassword):
		w.Header().Set("Www-Authenticate", `Basic realm="packs"`)
	case r.Token && q.Header.Get("Authorization") != "Bearer "+registryToken:
		realm := r.Realm
		if realm == "" {
			realm = r.URL + "/token"
		}
		w.Header().Set("Www-Authenticate", `Bearer realm="`+realm+`",service="packs"`)
	default:
		return true
	}
	writeJSON(w, http.StatusUnauthorized, map[string]any{"errors": []any{map[string]string{"code": "UNAUTHORIZED", "message": "log in"}}})
	return false
}

func (r *Registry) giveToken(w http.ResponseWriter, q *http.Request) {
	if user, password, _ := q.BasicAuth(); user != "me" || password != RegistryPassword {
		writeJSON(w, http.StatusUnauthorized, map[string]any{"errors": []any{map[string]string{"code": "DENIED", "message": "wrong password " + password}}})
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"token": registryToken})
}

func (r *Registry) manifest(w http.ResponseWriter, q *http.Request, name, reference string) {
	if q.Method == http.MethodPut {
		data, err := io.ReadAll(q.Body)
		if err != nil || !json.Valid(data) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.PutManifest(name, reference, q.Header.Get("Content-Type"), data)
		w.Header().Set("Docker-Content-Digest", digest(data))
		if subject := subjectOf(data); subject != "" && !r.NoReferrers {
			w.Header().Set("OCI-Subject", subject)
		}
		w.WriteHeader(http.StatusCreated)
		return
	}
	r.lock.Lock()
	data, kind := r.manifests[name+"/"+reference], r.kinds[name+"/"+reference]
	r.lock.Unlock()
	if data == nil {
		writeJSON(w, http.StatusNotFound, map[string]any{"errors": []any{map[string]string{"code": "MANIFEST_UNKNOWN", "message": "no such manifest"}}})
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Docker-Content-Digest", digest(data))
	_, _ = w.Write(data)
}

// subjectOf is the manifest that a manifest refers to, "" for none.
func subjectOf(data []byte) string {
	var m struct {
		Subject struct {
			Digest string `json:"digest"`
		} `json:"subject"`
	}
	_ = json.Unmarshal(data, &m) // what is not a manifest refers to nothing
	return m.Subject.Digest
}

// referrers lists the manifests that refer to one.
func (r *Registry) referrers(w http.ResponseWriter, _ *http.Request, name, as string) {
	if r.NoReferrers {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	r.lock.Lock()
	list := []any{}
	for _, key := range slices.Sorted(maps.Keys(r.manifests)) {
		data := r.manifests[key]
		if key != name+"/"+digest(data) || subjectOf(data) != as {
			continue
		}
		var m map[string]any
		_ = json.Unmarshal(data, &m) // subjectOf read it
		list = append(list, map[string]any{"mediaType": r.kinds[key], "digest": digest(data), "size": len(data), "artifactType": m["artifactType"]})
	}
	r.lock.Unlock()
	w.Header().Set("Content-Type", "application/vnd.oci.image.index.v1+json")
	writeJSON(w, http.StatusOK, map[string]any{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": list})
}

// DropReferrers forgets what refers to manifests, as somebody does who strips signatures.
func (r *Registry) DropReferrers() {
	r.lock.Lock()
	defer r.lock.Unlock()
	maps.DeleteFunc(r.manifests, func(_ string, data []byte) bool { return subjectOf(data) != "" })
}

// ForgetUploads forgets what came of uploads.
func (r *Registry) ForgetUploads() {
	r.lock.Lock()
	defer r.lock.Unlock()
	clear(r.sessions)
}

// Forget takes the blobs from a repository.
func (r *Registry) Forget(name string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	maps.DeleteFunc(r.owners, func(key string, _ bool) bool { return strings.HasPrefix(key, name+"/") })
}

func (r *Registry) upload(w http.ResponseWriter, q *http.Request, name, id string) {
	if q.Method == http.MethodPost {
		r.begin(w, q, name)
		return
	}
	r.lock.Lock()
	sent, known := r.sessions[id]
	r.lock.Unlock()
	if !known {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if q.Method == http.MethodGet {
		r.at(w, name, id, sent, http.StatusNoContent)
		return
	}
	data, err := io.ReadAll(q.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if q.Method == http.MethodPatch {
		r.piece(w, q, name, id, sent, data)
		return
	}
	if sent = append(sent, data...); digest(sent) != q.URL.Query().Get("digest") {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.PutBlob("", sent)
	r.own(name, digest(sent))
	w.WriteHeader(http.StatusCreated)
}

// begin begins an upload, or takes a blob from another repository.
func (r *Registry) begin(w http.ResponseWriter, q *http.Request, name string) {
	as, from := q.URL.Query().Get("mount"), q.URL.Query().Get("from")
	r.lock.Lock()
	mounted := !r.NoMount && as != "" && r.owners[from+"/"+as]
	id := fmt.Sprint(len(r.sessions) + 1)
	if !mounted {
		r.sessions[id] = nil
	}
	r.lock.Unlock()
	if mounted {
		r.own(name, as)
		w.Header().Set("Location", "/v2/"+name+"/blobs/"+as)
		w.Header().Set("Docker-Content-Digest", as)
		w.WriteHeader(http.StatusCreated)
		return
	}
	r.at(w, name, id, nil, http.StatusAccepted)
}

// piece takes a piece of an upload.
func (r *Registry) piece(w http.ResponseWriter, q *http.Request, name, id string, sent, data []byte) {
	if want := fmt.Sprintf("%d-%d", len(sent), len(sent)+len(data)-1); q.Header.Get("Content-Range") != want {
		w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		return
	}
	whole := append(slices.Clip(sent), data...)
	r.lock.Lock()
	cut := r.BreakAt > 0 && int64(len(whole)) >= r.BreakAt
	if cut {
		whole, r.BreakAt = whole[:r.BreakAt], 0
	}
	r.sessions[id] = whole
	r.lock.Unlock()
	if cut {
		panic(http.ErrAbortHandler)
	}
	r.at(w, name, id, whole, http.StatusAccepted)
}

// at says how far an upload is.
func (r *Registry) at(w http.ResponseWriter, name, id string, sent []byte, status int) {
	w.Header().Set("Location", "/v2/"+name+"/blobs/uploads/"+id)
	w.Header().Set("Range", fmt.Sprintf("0-%d", max(0, len(sent)-1)))
	w.WriteHeader(status)
}

// own notes that a repository has a blob.
func (r *Registry) own(name, as string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.owners[name+"/"+as] = true
}

func (r *Registry) blob(w http.ResponseWriter, q *http.Request, name, as string) {
	r.lock.Lock()
	data := r.blobs[as]
	if r.Separate && !r.owners[name+"/"+as] {
		data = nil
	}
	r.lock.Unlock()
	if data == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Docker-Content-Digest", as)
	http.ServeContent(w, q, "blob", time.Time{}, bytes.NewReader(data))
}
