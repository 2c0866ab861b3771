package fetchtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
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
	return newRegistry(t, NewServer)
}

// NewTLSRegistry is NewRegistry over https, with the certificate of NewTLSServer.
func NewTLSRegistry(t testing.TB) *Registry {
	t.Helper()
	return newRegistry(t, NewTLSServer)
}

func newRegistry(t testing.TB, start func(testing.TB, http.Handler) *Server) *Registry {
	t.Helper()
	r := &Registry{manifests: map[string][]byte{}, kinds: map[string]string{}, blobs: map[string][]byte{}, owners: map[string]bool{}, sessions: map[string][]byte{}}
	r.Server = start(t, http.HandlerFunc(r.serve))
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

// PutManifest makes a manifest what a tag or a digest stands for, whatever it is.
func (r *Registry) PutManifest(name, reference, kind string, data []byte) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.putManifest(name, reference, kind, data)
}

func (r *Registry) putManifest(name, reference, kind string, data []byte) {
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

// registryPath splits a path into the name of a repository, what of it is meant, and a
// reference, a digest or the id of an upload.
var registryPath = regexp.MustCompile("^/v2/(.+)/(manifests|referrers|blobs/uploads|blobs)/(.*)$")

func (r *Registry) serve(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	parts := registryPath.FindStringSubmatch(q.URL.Path)
	switch {
	case err != nil:
		w.WriteHeader(http.StatusBadRequest)
		return
	case q.URL.Path == "/token":
		r.giveToken(w, q)
		return
	case !r.mayEnter(w, q):
		return
	case !strings.HasPrefix(q.URL.Path, "/v2/"):
		http.NotFound(w, q)
		return
	case parts == nil:
		writeJSON(w, http.StatusOK, map[string]any{"tags": []string{}})
		return
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	name, part := parts[1], parts[3]
	switch parts[2] {
	case "manifests":
		r.manifest(w, q, name, part, body)
	case "referrers":
		r.referrers(w, name, part)
	case "blobs":
		r.blob(w, q, name, part)
	default:
		r.upload(w, q, name, part, body)
	}
}

// refuse answers with an error as registries write it.
func refuse(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, map[string]any{"errors": []any{map[string]string{"code": code, "message": message}}})
}

// mayEnter asks for a login where the registry wants one.
func (r *Registry) mayEnter(w http.ResponseWriter, q *http.Request) bool {
	user, password, _ := q.BasicAuth()
	switch {
	case r.Basic && (user != "me" || password != RegistryPassword):
		w.Header().Set("Www-Authenticate", `Basic realm="packs"`)
	case r.Token && q.Header.Get("Authorization") != "Bearer "+registryToken:
		w.Header().Set("Www-Authenticate", `Bearer realm="`+cmp.Or(r.Realm, r.URL+"/token")+`",service="packs"`)
	default:
		return true
	}
	refuse(w, http.StatusUnauthorized, "UNAUTHORIZED", "log in")
	return false
}

func (r *Registry) giveToken(w http.ResponseWriter, q *http.Request) {
	if user, password, _ := q.BasicAuth(); user != "me" || password != RegistryPassword {
		refuse(w, http.StatusUnauthorized, "DENIED", "wrong password "+password)
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"token": registryToken})
}

func (r *Registry) manifest(w http.ResponseWriter, q *http.Request, name, reference string, body []byte) {
	if q.Method == http.MethodPut {
		if !json.Valid(body) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.putManifest(name, reference, q.Header.Get("Content-Type"), body)
		w.Header().Set("Docker-Content-Digest", digest(body))
		if subject := subjectOf(body); subject != "" && !r.NoReferrers {
			w.Header().Set("OCI-Subject", subject)
		}
		w.WriteHeader(http.StatusCreated)
		return
	}
	data := r.manifests[name+"/"+reference]
	if data == nil {
		refuse(w, http.StatusNotFound, "MANIFEST_UNKNOWN", "no such manifest")
		return
	}
	w.Header().Set("Content-Type", r.kinds[name+"/"+reference])
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
func (r *Registry) referrers(w http.ResponseWriter, name, as string) {
	if r.NoReferrers {
		w.WriteHeader(http.StatusNotFound)
		return
	}
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

func (r *Registry) upload(w http.ResponseWriter, q *http.Request, name, id string, body []byte) {
	sent, known := r.sessions[id]
	whole := append(slices.Clip(sent), body...)
	switch {
	case q.Method == http.MethodPost:
		r.begin(w, q, name)
	case !known:
		w.WriteHeader(http.StatusNotFound)
	case q.Method == http.MethodGet:
		at(w, name, id, sent, http.StatusNoContent)
	case q.Method == http.MethodPatch && q.Header.Get("Content-Range") != fmt.Sprintf("%d-%d", len(sent), len(whole)-1):
		w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
	case q.Method == http.MethodPatch && r.BreakAt > 0 && int64(len(whole)) >= r.BreakAt:
		r.sessions[id], r.BreakAt = whole[:r.BreakAt], 0
		panic(http.ErrAbortHandler)
	case q.Method == http.MethodPatch:
		r.sessions[id] = whole
		at(w, name, id, whole, http.StatusAccepted)
	case digest(whole) != q.URL.Query().Get("digest"):
		w.WriteHeader(http.StatusBadRequest)
	default:
		r.blobs[digest(whole)], r.owners[name+"/"+digest(whole)] = whole, true
		w.WriteHeader(http.StatusCreated)
	}
}

// begin begins an upload, or takes a blob from another repository.
func (r *Registry) begin(w http.ResponseWriter, q *http.Request, name string) {
	as, from := q.URL.Query().Get("mount"), q.URL.Query().Get("from")
	if !r.NoMount && as != "" && r.owners[from+"/"+as] {
		r.owners[name+"/"+as] = true
		w.Header().Set("Location", "/v2/"+name+"/blobs/"+as)
		w.Header().Set("Docker-Content-Digest", as)
		w.WriteHeader(http.StatusCreated)
		return
	}
	id := fmt.Sprint(len(r.sessions) + 1)
	r.sessions[id] = nil
	at(w, name, id, nil, http.StatusAccepted)
}

// at says how far an upload is.
func at(w http.ResponseWriter, name, id string, sent []byte, status int) {
	w.Header().Set("Location", "/v2/"+name+"/blobs/uploads/"+id)
	w.Header().Set("Range", fmt.Sprintf("0-%d", max(0, len(sent)-1)))
	w.WriteHeader(status)
}

func (r *Registry) blob(w http.ResponseWriter, q *http.Request, name, as string) {
	data := r.blobs[as]
	if data == nil || r.Separate && !r.owners[name+"/"+as] {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Docker-Content-Digest", as)
	http.ServeContent(w, q, "blob", time.Time{}, bytes.NewReader(data))
}
