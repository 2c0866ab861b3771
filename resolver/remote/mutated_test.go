package remote

import (
	"context"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	oci "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/torturetest"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// Whatever a registry makes of the manifest, the pack.json and the archive of a pack: it is
// refused, or the pack is the one that was pushed.
func TestMutatedRegistriesAreRefused(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(37, 1))
	count := torturetest.Start(t, "hostile", "registries", 30, 500)
	s := publish(t, "kettle", "It boils.")
	server, o := fetchtest.NewRegistry(t), options(t)
	push(t, o, "oci://"+server.Host()+"/kettle", false, s)
	manifest := server.Manifest("kettle", "latest")
	o.Fetch.HTTP = &http.Client{Transport: onlyTo{server.Host()}}
	for i := range count.Rounds() {
		count.Done(1)
		o.Cache = NewCache(filepath.Join(t.TempDir(), "cache"))
		server.PutManifest("kettle", "latest", oci.MediaTypeImageManifest, manifest)
		server.PutBlob("", s.targz)
		server.PutBlob("", s.manifest)
		switch i % 3 {
		case 0:
			server.PutManifest("kettle", "latest", oci.MediaTypeImageManifest, torturetest.Mutate(chance, manifest))
		case 1:
			server.PutBlob("sha256:"+archive.SHA256(s.targz), torturetest.Mutate(chance, s.targz))
		case 2:
			server.PutBlob("sha256:"+archive.SHA256(s.manifest), torturetest.Mutate(chance, s.manifest))
		}
		a, err := Open(context.Background(), mustRef(t, "oci://"+server.Host()+"/kettle"), o)
		switch {
		case err != nil && strings.ContainsAny(err.Error(), "\r\x1b\x00\u202e"):
			count.Wrong("the message holds what the registry sent: %q", err)
		case err == nil:
			if a.Entry.Tree != s.tree || a.Verify(t.Context()) != nil {
				count.Wrong("%s was taken for %s", a.Entry.Tree, s.tree)
			}
			a.Close()
		}
		for _, name := range listTree(t, filepath.Join(o.Cache.Dir(), treesDir)) {
			if !strings.HasPrefix(name, strings.TrimPrefix(s.tree, "h1:")) && err != nil {
				count.Wrong("the cache took %s", name)
				break
			}
		}
	}
}
