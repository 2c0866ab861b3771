package remote

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	oci "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
	"github.com/packgen/packgen/resolver/remote/registry"
)

// packOf is a sample as it is pushed.
func packOf(t testing.TB, s *sample) registry.Pack {
	t.Helper()
	name := filepath.Join(t.TempDir(), s.name+".tar.gz")
	write(t, name, s.targz)
	return registry.Pack{
		Name: s.name, Version: "1.2.0", License: "MIT", Source: "https://example.org/repository", Tree: s.tree, Manifest: s.manifest,
		Archive: name, SHA256: archive.SHA256(s.targz), Bytes: int64(len(s.targz)),
	}
}

// push writes samples to a repository.
func push(t testing.TB, o Options, ref string, catalog bool, samples ...*sample) []registry.Pushed {
	t.Helper()
	r := mustRef(t, ref)
	var packs []registry.Pack
	for _, s := range samples {
		packs = append(packs, packOf(t, s))
	}
	return oktest.Value(registry.Push(context.Background(), fetch.New(o.Fetch), r.Registry, packs, registry.Options{Tags: []string{r.Registry.Tag}, Catalog: catalog}))(t)
}

func TestAPackGoesThroughARegistryAndIsLocked(t *testing.T) {
	old, newer := publish(t, "kettle", "It boils."), publish(t, "kettle", "It whistles.")
	server, o := fetchtest.NewRegistry(t), options(t)
	ref := "oci://" + server.Host() + "/acme/kettle:1"
	done := push(t, o, ref, false, old)
	entry := mustOpen(t, ref, o).Entry
	if entry.Tree != old.tree || entry.Source != "oci" || entry.OCI != done[0].Digest || entry.Digest != "sha256:"+archive.SHA256(old.targz) || entry.Manifest != archive.SHA256(old.manifest) {
		t.Fatalf("%+v", entry)
	}
	var m oci.Manifest
	if err := json.Unmarshal(server.Manifest("acme/kettle", "1"), &m); err != nil || m.ArtifactType != fetch.PackType || m.Annotations[oci.AnnotationLicenses] != "MIT" || m.Annotations[registry.TreeAnnotation] != old.tree {
		t.Errorf("%+v, %v", m, err)
	}
	// The tag moves: what is locked stays, by its digest, in another cache too.
	push(t, o, ref, false, newer)
	if a := mustOpen(t, ref, o); a.Entry.Tree != newer.tree {
		t.Errorf("without a lock: %+v", a.Entry)
	}
	o = emptyCache(t, o)
	locked := o
	locked.Locked = &entry
	if a := mustOpen(t, ref, locked); a.Entry.Tree != old.tree || !a.Fetched {
		t.Errorf("with a lock: %+v", a.Entry)
	}
	byDigest := "oci://" + server.Host() + "/acme/kettle@" + entry.OCI
	before := len(server.Requests())
	if a := mustOpen(t, byDigest, o); a.Entry.Tree != old.tree || a.Fetched {
		t.Errorf("by digest: %+v", a.Entry)
	}
	for _, q := range server.Requests()[before:] {
		if strings.HasSuffix(q.Path, archive.SHA256(old.targz)) {
			t.Error("an archive whose tree is cached is downloaded")
		}
	}
	offline := o
	offline.Offline = true
	if a := mustOpen(t, byDigest, offline); a.Entry.Tree != old.tree {
		t.Errorf("offline: %+v", a.Entry)
	}
}

// The same pack makes the same manifest, and its parts are written once.
func TestAPushIsTheSameEachTime(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	server, o := fetchtest.NewRegistry(t), options(t)
	ref := "oci://" + server.Host() + "/kettle"
	first := push(t, o, ref, false, s)
	uploads := server.Uploads()
	second := push(t, o, ref, false, s)
	if uploads != 2 || server.Uploads() != uploads || first[0].Digest != second[0].Digest || first[0].Uploaded == 0 || second[0].Uploaded != 0 {
		t.Errorf("%d uploads, then %d: %+v %+v", uploads, server.Uploads(), first, second)
	}
}

func TestACatalogIsAnIndexOfPacks(t *testing.T) {
	kettle, pot := publish(t, "kettle", "It boils."), publish(t, "pot", "It holds.")
	server, o := fetchtest.NewRegistry(t), options(t)
	ref := "oci://" + server.Host() + "/packs"
	push(t, o, ref, true, pot, kettle)
	for _, s := range []*sample{kettle, pot} {
		if a := mustOpen(t, ref+"#"+s.name, o); a.Entry.Tree != s.tree {
			t.Errorf("%s: %+v", s.name, a.Entry)
		}
	}
	var choose *fetch.ChooseError
	if _, err := Open(context.Background(), mustRef(t, ref), o); !errors.As(err, &choose) || strings.Join(choose.Names, " ") != "kettle pot" {
		t.Errorf("%v", err)
	}
	if _, err := Open(context.Background(), mustRef(t, ref+"#pan"), o); !strings.Contains(diag.HintOf(err), "kettle, pot") {
		t.Errorf("%v", err)
	}
	single := "oci://" + server.Host() + "/one"
	push(t, o, single, false, kettle)
	if _, err := Open(context.Background(), mustRef(t, single+"#pot"), o); err == nil || !strings.Contains(err.Error(), `this is pack "kettle"`) {
		t.Errorf("%v", err)
	}
}

// environment returns variables of a table alone.
func environment(list map[string]string) func(string) string {
	return func(name string) string { return list[name] }
}

func TestRegistriesAskForALogin(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	for name, want := range map[string]func(*fetchtest.Registry){
		"basic": func(r *fetchtest.Registry) { r.Basic = true },
		"token": func(r *fetchtest.Registry) { r.Token = true },
	} {
		t.Run(name, func(t *testing.T) {
			server, o := fetchtest.NewRegistry(t), options(t)
			want(server)
			ref := "oci://" + server.Host() + "/kettle"
			variable := "PACKGEN_TOKEN_" + strings.NewReplacer(".", "_", ":", "_").Replace(server.Host())
			o.Fetch.Getenv = environment(map[string]string{variable: "me:" + fetchtest.RegistryPassword})
			push(t, o, ref, false, s)
			if a := mustOpen(t, ref, o); a.Entry.Tree != s.tree {
				t.Errorf("%+v", a.Entry)
			}
			for _, password := range []string{"", "me:wr0ng-password"} {
				o := emptyCache(t, o)
				o.Fetch.Getenv = environment(map[string]string{variable: password})
				_, err := Open(context.Background(), mustRef(t, ref), o)
				var e *fetch.Error
				if !errors.As(err, &e) || e.Rule != "fetch-token" || e.Hint == "" || strings.Contains(err.Error(), "wr0ng") {
					t.Errorf("%q: %v", password, err)
				}
				_, err = registry.Push(context.Background(), fetch.New(o.Fetch), mustRef(t, ref).Registry, []registry.Pack{packOf(t, publish(t, "kettle", password))}, registry.Options{Tags: []string{"latest"}})
				if !errors.As(err, &e) || e.Rule != "fetch-token" || strings.Contains(err.Error(), "wr0ng") {
					t.Errorf("push, %q: %v", password, err)
				}
			}
		})
	}
}

func TestARegistryMayNotLeadALoginAway(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	server, o := fetchtest.NewRegistry(t), options(t)
	ref := "oci://" + server.Host() + "/kettle"
	push(t, o, ref, false, s)
	other := fetchtest.NewServer(t, http.NotFoundHandler())
	o = emptyCache(t, o)
	o.Fetch.Getenv = environment(map[string]string{"PACKGEN_TOKEN_127_0_0_1": "me:" + fetchtest.RegistryPassword})
	server.Basic = true
	server.Spoil(fetchtest.Fault{Path: "/blobs/", Times: -1, Redirect: other.URL + "/elsewhere"})
	if _, err := Open(context.Background(), mustRef(t, ref), o); err == nil {
		t.Error("opened")
	}
	if len(other.Requests()) == 0 {
		t.Error("the redirect was not followed")
	}
	for _, q := range other.Requests() {
		if q.Header.Get("Authorization") != "" {
			t.Error("the login went to another server")
		}
	}
	server.Basic, server.Token, server.Realm = false, true, "http://169.254.169.254/token"
	if _, err := Open(context.Background(), mustRef(t, ref), o); err == nil || !strings.Contains(err.Error(), "cannot be used") {
		t.Errorf("a token of the metadata service: %v", err)
	}
}

// withManifest puts what a test makes of a manifest in place of the one of a pushed pack.
func withManifest(t *testing.T, server *fetchtest.Registry, change func(*oci.Manifest)) {
	t.Helper()
	var m oci.Manifest
	oktest.Check(t, json.Unmarshal(server.Manifest("kettle", "latest"), &m))
	change(&m)
	data := oktest.Value(json.Marshal(m))(t)
	server.PutManifest("kettle", "latest", oci.MediaTypeImageManifest, data)
}

func TestAHostileRegistryIsRefused(t *testing.T) {
	s, other := publish(t, "kettle", "It boils."), publish(t, "kettle", "It lies.")
	for name, tt := range map[string]struct {
		spoil func(t *testing.T, r *fetchtest.Registry)
		ref   string // after the host
		says  string
	}{
		"another manifest than the digest": {func(_ *testing.T, r *fetchtest.Registry) {
			r.PutManifest("kettle", someDigest, oci.MediaTypeImageManifest, []byte(`{"schemaVersion":2}`))
		}, "/kettle@" + someDigest, "the bytes are not the announced ones"},
		"another archive than the digest": {func(_ *testing.T, r *fetchtest.Registry) {
			r.PutBlob("sha256:"+archive.SHA256(s.targz), append([]byte{s.targz[0] ^ 1}, s.targz[1:]...))
		}, "/kettle", "the bytes are not the announced ones"},
		"another pack.json than the digest": {func(_ *testing.T, r *fetchtest.Registry) {
			r.PutBlob("sha256:"+archive.SHA256(s.manifest), []byte(strings.Replace(string(s.manifest), "kettle", "keptle", 1)))
		}, "/kettle", "the bytes are not the announced ones"},
		"an archive of another pack": {func(t *testing.T, r *fetchtest.Registry) {
			as := r.PutBlob("", other.targz)
			withManifest(t, r, func(m *oci.Manifest) {
				m.Layers[0].Digest, m.Layers[0].Size = digestText(m.Layers[0].Digest, as), int64(len(other.targz))
			})
		}, "/kettle", "does not hold the pack that the pack.json beside it describes"},
		"a longer archive": {func(_ *testing.T, r *fetchtest.Registry) {
			r.PutBlob("sha256:"+archive.SHA256(s.targz), append(s.targz[:len(s.targz):len(s.targz)], 0))
		}, "/kettle", "its manifest says"},
		"a layer of another size": {func(t *testing.T, r *fetchtest.Registry) {
			withManifest(t, r, func(m *oci.Manifest) { m.Layers[0].Size++ })
		}, "/kettle", "its manifest says"},
		"a layer that is too large": {func(t *testing.T, r *fetchtest.Registry) {
			withManifest(t, r, func(m *oci.Manifest) { m.Layers[0].Size = 1 << 50 })
		}, "/kettle", "the archive is larger than 512 MiB"},
		"a negative size": {func(t *testing.T, r *fetchtest.Registry) {
			withManifest(t, r, func(m *oci.Manifest) { m.Config.Size = -1 })
		}, "/kettle", "no SHA-256 digest and size"},
		"a config of another size": {func(t *testing.T, r *fetchtest.Registry) {
			withManifest(t, r, func(m *oci.Manifest) { m.Config.Size-- })
		}, "/kettle", "the answer is larger"},
		"two layers": {func(t *testing.T, r *fetchtest.Registry) {
			withManifest(t, r, func(m *oci.Manifest) { m.Layers = append(m.Layers, m.Layers[0]) })
		}, "/kettle", "not one pack.json and one archive"},
		"an image": {func(t *testing.T, r *fetchtest.Registry) {
			withManifest(t, r, func(m *oci.Manifest) { m.ArtifactType, m.Config.MediaType = "", oci.MediaTypeImageConfig })
		}, "/kettle", "not a pack"},
		"a manifest of 100 MB": {func(_ *testing.T, r *fetchtest.Registry) {
			r.PutManifest("kettle", "latest", oci.MediaTypeImageManifest, []byte(`{"x":"`+strings.Repeat("x", 100<<20)+`"}`))
		}, "/kettle", "the answer is larger than 4 MiB"},
		"no JSON": {func(_ *testing.T, r *fetchtest.Registry) {
			r.PutManifest("kettle", "latest", oci.MediaTypeImageManifest, []byte(`<html>`))
		}, "/kettle", "a web page came"},
		"an index of an index": {func(_ *testing.T, r *fetchtest.Registry) {
			data := []byte(`{"schemaVersion":2,"mediaType":"` + oci.MediaTypeImageIndex + `","manifests":[]}`)
			r.PutManifest("kettle", "inner", oci.MediaTypeImageIndex, data)
			r.PutManifest("kettle", "latest", oci.MediaTypeImageIndex, indexOf("kettle", oci.MediaTypeImageManifest, "sha256:"+archive.SHA256(data)))
		}, "/kettle", "leads to another index"},
		"an index that names itself": {func(_ *testing.T, r *fetchtest.Registry) {
			r.PutManifest("kettle", someDigest, oci.MediaTypeImageIndex, indexOf("kettle", oci.MediaTypeImageManifest, someDigest))
			r.PutManifest("kettle", "latest", oci.MediaTypeImageIndex, indexOf("kettle", oci.MediaTypeImageManifest, someDigest))
		}, "/kettle", "the bytes are not the announced ones"},
		"an index with an index in it": {func(_ *testing.T, r *fetchtest.Registry) {
			r.PutManifest("kettle", "latest", oci.MediaTypeImageIndex, indexOf("kettle", oci.MediaTypeImageIndex, someDigest))
		}, "/kettle", "where the manifest of pack"},
		"an index with a path": {func(_ *testing.T, r *fetchtest.Registry) {
			r.PutManifest("kettle", "latest", oci.MediaTypeImageIndex, indexOf("../../kettle", oci.MediaTypeImageManifest, someDigest))
		}, "/kettle", "the index names a pack"},
		"a dropped connection": {func(_ *testing.T, r *fetchtest.Registry) {
			r.Spoil(fetchtest.Fault{Path: "/manifests/", Times: -1, Drop: true})
		}, "/kettle", "closed the connection"},
		"a redirect to the metadata service": {func(_ *testing.T, r *fetchtest.Registry) {
			r.Spoil(fetchtest.Fault{Path: "/blobs/", Times: -1, Redirect: "https://169.254.169.254/latest"})
		}, "/kettle", ""},
		"a tag that is gone": {func(*testing.T, *fetchtest.Registry) {}, "/kettle:gone", "404"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, o := fetchtest.NewRegistry(t), options(t)
			push(t, o, "oci://"+server.Host()+"/kettle", false, s)
			tt.spoil(t, server)
			o.Fetch.HTTP = &http.Client{Transport: onlyTo{server.Host()}}
			_, err := Open(context.Background(), mustRef(t, "oci://"+server.Host()+tt.ref), o)
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v", err)
			}
			// Another pack is kept as what it is, under its own hash.
			if list := listTree(t, filepath.Join(o.Cache.Dir(), treesDir)); len(list) != 0 && name != "an archive of another pack" {
				t.Errorf("the cache took %v", list)
			}
		})
	}
}

// onlyTo reaches one server, so that no test leaves the machine.
type onlyTo struct{ host string }

func (o onlyTo) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.URL.Host != o.host {
		return nil, fmt.Errorf("%s is not asked", q.URL.Host)
	}
	return http.DefaultTransport.RoundTrip(q)
}

func indexOf(name, kind, as string) []byte {
	data, _ := json.Marshal(oci.Index{MediaType: oci.MediaTypeImageIndex, ArtifactType: fetch.CatalogType, Manifests: []oci.Descriptor{{
		MediaType: kind, ArtifactType: fetch.PackType, Digest: digestText(oci.Descriptor{}.Digest, as), Size: 1, Annotations: map[string]string{oci.AnnotationTitle: name},
	}}})
	return data
}

// Passing failures are tried again, reading and writing, as long as the server asks.
// Two machines push to one tag while others pull it: each pull is one pack or the other,
// whole.
func TestPushesToOneTagRace(t *testing.T) {
	old, newer := publish(t, "kettle", "It boils."), publish(t, "kettle", "It whistles.")
	server, o := fetchtest.NewRegistry(t), options(t)
	ref := "oci://" + server.Host() + "/acme/kettle:1"
	push(t, o, ref, false, old)
	var writers sync.WaitGroup
	for _, s := range []*sample{old, newer} {
		p := packOf(t, s)
		to := mustRef(t, ref).Registry
		writers.Go(func() {
			for range 5 {
				if _, err := registry.Push(context.Background(), fetch.New(o.Fetch), to, []registry.Pack{p}, registry.Options{Tags: []string{"1"}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 10 {
		if a := mustOpen(t, ref, emptyCache(t, o)); a.Entry.Tree != old.tree && a.Entry.Tree != newer.tree {
			t.Errorf("%+v", a.Entry)
		}
	}
	writers.Wait()
}

func TestARegistryThatIsBusyIsAskedAgain(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	server, o := fetchtest.NewRegistry(t), options(t)
	var waits []time.Duration
	o.Fetch.Retries = 3
	o.Fetch.Sleep = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
	busy := fetchtest.Fault{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "7"}}
	for _, path := range []string{"/blobs/uploads/1", "/manifests/"} {
		busy.Path = path
		server.Spoil(busy)
	}
	ref := "oci://" + server.Host() + "/kettle"
	push(t, o, ref, false, s)
	if len(waits) != 2 {
		t.Errorf("push waited %v", waits)
	}
	waits = nil
	busy.Path = "/manifests/"
	server.Spoil(busy, fetchtest.Fault{Path: archive.SHA256(s.targz), Cut: 100})
	if a := mustOpen(t, ref, o); a.Entry.Tree != s.tree {
		t.Errorf("%+v", a.Entry)
	}
	if len(waits) != 2 || waits[0] != 7*time.Second {
		t.Errorf("pull waited %v", waits)
	}
	ranges := 0
	for _, q := range server.Requests() {
		if q.Header.Get("Range") != "" {
			ranges++
		}
	}
	if ranges != 1 {
		t.Errorf("%d requests for the rest of the archive", ranges)
	}
}

// A mirror is asked in the place of a registry; the reference stays what it is.
func TestAMirrorIsAskedInstead(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	server, o := fetchtest.NewRegistry(t), options(t)
	push(t, o, "oci://"+server.Host()+"/mirror/acme/kettle", false, s)
	o.Fetch.Mirrors = []string{"oci://registry.example/acme=oci://" + server.Host() + "/mirror/acme", "oci://registry.example=oci://no.example"}
	if a := mustOpen(t, "oci://registry.example/acme/kettle", o); a.Entry.Tree != s.tree || a.Entry.Ref != "oci://registry.example/acme/kettle" {
		t.Errorf("%+v", a.Entry)
	}
	for _, wrong := range []string{"x", "oci://a=https://b", "https://a=oci://b", "https://me:pw@a=https://b", "https://a", "oci://" + server.Host() + "=oci://me:pw@mirror"} {
		o := emptyCache(t, o)
		o.Fetch.Mirrors = []string{wrong}
		if _, err := Open(context.Background(), mustRef(t, "oci://"+server.Host()+"/mirror/acme/kettle"), o); err == nil || !strings.Contains(err.Error(), "--mirror") || strings.Contains(err.Error(), "pw") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

func TestALockOfARegistryHoldsItsDigests(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	server, o := fetchtest.NewRegistry(t), options(t)
	ref := "oci://" + server.Host() + "/kettle"
	push(t, o, ref, false, s)
	entry := mustOpen(t, ref, o).Entry
	if _, err := o.Cache.WriteLock(context.Background(), o.Dir, []schema.LockedRef{entry}); err != nil {
		t.Fatal(err)
	}
	lock, _, err := ReadLock(o.Dir)
	if err != nil || len(lock.References) != 1 || lock.References[0].OCI != entry.OCI {
		t.Errorf("%+v, %v", lock, err)
	}
}

// A registry with a certificate of a private authority, and one that wants to know who
// asks.
func TestARegistryOfAPrivateAuthority(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	server, o := fetchtest.NewTLSRegistry(t), options(t)
	ref := mustRef(t, "oci://"+server.Host()+"/kettle")
	var e *fetch.Error
	if _, err := Open(context.Background(), ref, o); !errors.As(err, &e) || e.Rule != "fetch-tls" || !strings.Contains(e.Hint, "--cacert") {
		t.Errorf("an unknown authority: %v", err)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	write(t, ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.HTTP.Certificate().Raw}))
	o.Fetch.Getenv = environment(map[string]string{"PACKGEN_CACERT": ca})
	push(t, o, ref.Text, false, s)
	o.Fetch.Getenv, o.Fetch.Trust.CA = environment(nil), ca
	if a := mustOpen(t, ref.Text, o); a.Entry.Tree != s.tree {
		t.Errorf("%+v", a.Entry)
	}
	for _, trust := range []fetch.Trust{{CA: ca + "x"}, {CA: filepath.Join(o.Dir, "empty")}, {Cert: ca}, {Key: ca}} {
		write(t, filepath.Join(o.Dir, "empty"), nil)
		o := emptyCache(t, o)
		o.Fetch.Trust = trust
		if _, err := Open(context.Background(), ref, o); !errors.As(err, &e) || e.Rule != "fetch-tls" || e.Hint == "" {
			t.Errorf("%+v: %v", trust, err)
		}
	}
}

// digestText is a text of the type of another.
func digestText[T ~string](_ T, text string) T { return T(text) }
