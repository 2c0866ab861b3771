package fetchtest

import (
	"bytes"
	"encoding/json"
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

	NoReferrers bool // does not list what refers to a manifest

	lock      sync.Mutex
	manifests map[string][]byte // by NAME/TAG and by NAME/DIGEST
	kinds     map[string]string // their media types
	blobs     map[string][]byte // by digest
}

// RegistryPassword is what lets the user "me" in.
const RegistryPassword = "hunter2"

const registryToken = "t0ken-of-the-registry"

// NewRegistry starts an empty registry that ends with the test.
func NewRegistry(t testing.TB) *Registry {
	t.Helper()
	r := &Registry{manifests: map[string][]byte{}, kinds: map[string]string{}, blobs: map[string][]byte{}}
	r.Server = NewServer(t, http.HandlerFunc(r.serve))
	return r
}

// NewTLSRegistry is NewRegistry over https, with the certificate of NewTLSServer.
func NewTLSRegistry(t testing.TB) *Registry {
	t.Helper()
	r := &Registry{manifests: map[string][]byte{}, kinds: map[string]string{}, blobs: map[string][]byte{}}
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

func (r *Registry) upload(w http.ResponseWriter, q *http.Request, name, _ string) {
	if q.Method == http.MethodPost {
		w.Header().Set("Location", "/v2/"+name+"/blobs/uploads/1")
		w.WriteHeader(http.StatusAccepted)
		return
	}
	data, err := io.ReadAll(q.Body)
	if want := q.URL.Query().Get("digest"); err != nil || digest(data) != want {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.PutBlob("", data)
	w.WriteHeader(http.StatusCreated)
}

func (r *Registry) blob(w http.ResponseWriter, q *http.Request, _, as string) {
	r.lock.Lock()
	data := r.blobs[as]
	r.lock.Unlock()
	if data == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Docker-Content-Digest", as)
	http.ServeContent(w, q, "blob", time.Time{}, bytes.NewReader(data))
}
