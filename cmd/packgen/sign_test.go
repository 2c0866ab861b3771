package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// keyFiles writes a private key and its public one.
func keyFiles(t *testing.T, private, public string) {
	t.Helper()
	key := oktest.Value(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	a := oktest.Value(x509.MarshalPKCS8PrivateKey(key))(t)
	b := oktest.Value(x509.MarshalPKIXPublicKey(&key.PublicKey))(t)
	writeText(t, private, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: a})))
	writeText(t, public, string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: b})))
}

// A pack is signed on one machine, and goes through a registry to the agent of another
// one, where its signature is asked for.
func TestInstallAPackIsSignedPushedPulledAndVerified(t *testing.T) {
	server, source, reader := fetchtest.NewRegistry(t), packgentest.Repository(t), t.TempDir()
	env := cacheOf(t)
	keyFiles(t, filepath.Join(source, "acme.pem"), filepath.Join(reader, "acme.pub"))
	keyFiles(t, filepath.Join(source, "other.pem"), filepath.Join(reader, "other.pub"))
	writeText(t, filepath.Join(reader, "packgen.yaml"), "trust:\n  - ref: \"**\"\n    key: acme.pub\n")
	run := commands(t, env)
	ref, file := "oci://"+server.Host()+"/acme/p:1.0", filepath.Join(reader, "p.tar.gz")
	programs := filepath.Dir(packgentest.Program(t, "packgen-sign"))
	t.Setenv("PATH", t.TempDir()) // it has nothing
	if out := run(exitMisuse, source, "push", ref, "--sign-key", "acme.pem"); !strings.Contains(out, "need the program packgen-sign") || !strings.Contains(out, "go build") {
		t.Error(out)
	}
	t.Setenv("PATH", programs)
	if out := run(exitDone, source, "push", ref, "--sign-key", "acme.pem"); !strings.Contains(out, "by the key sha256:") {
		t.Error(out)
	}
	run(exitDone, reader, "pull", ref)
	for _, place := range []string{ref, "p"} {
		if out := run(exitDone, reader, "verify", place); !strings.Contains(out, "as recorded") || !strings.Contains(out, "by the key sha256:") {
			t.Errorf("verify %s: %s", place, out)
		}
	}
	lock, err := os.ReadFile(filepath.Join(reader, "packgen.lock"))
	if err != nil || !strings.Contains(string(lock), `"key": "sha256:`) || !strings.Contains(string(lock), `"schema_version": 3`) {
		t.Errorf("%s, %v", lock, err)
	}
	if out := run(exitDone, reader, "resolve", "--from", ref, "--json", "text"); !strings.Contains(out, `"ok": true`) {
		t.Error(out)
	}
	run(exitDone, reader, "pull", "--frozen")
	run(exitDone, reader, "lock", "list")

	// Unsigned, signed by another, and stripped: refused, and the lock is as it was.
	run(exitDone, source, "pack", "--out", file)
	run(exitFindings, reader, "verify", file)
	run(exitFindings, reader, "pull", file)
	run(exitDone, source, "pack", "--out", file, "--sign-key", "other.pem")
	if out := run(exitFindings, reader, "verify", file); !strings.Contains(out, "not valid") {
		t.Error(out)
	}
	run(exitDone, source, "pack", "--out", file, "--sign-key", "acme.pem")
	if out := run(exitDone, reader, "verify", file); !strings.Contains(out, "signed     by the key") {
		t.Error(out)
	}
	if out := run(exitDone, reader, "verify", file, "--json"); !strings.Contains(out, `"signed": [`) {
		t.Error(out)
	}
	// On a site the signature is beside the archive.
	run(exitDone, source, "build")
	run(exitFindings, reader, "verify", filepath.Join(source, "public"))
	run(exitDone, source, "pack", "--out", "public/packs/p/pack.tar.gz", "--sign-key", "acme.pem")
	if out := run(exitDone, reader, "verify", filepath.Join(source, "public")); !strings.Contains(out, "signed     by the key") {
		t.Error(out)
	}
	run(exitFindings, reader, "match", "--from", source, "text")
	// An update says who signed.
	documents, err := filepath.Glob(filepath.Join(source, "packs", "p", "documents", "*.md"))
	if err != nil || len(documents) == 0 {
		t.Fatalf("%v, %v", documents, err)
	}
	writeText(t, documents[0], "# Another\n\nAnother text.\n")
	run(exitDone, source, "push", ref, "--sign-key", "acme.pem")
	if out := run(exitDone, reader, "lock", "update", "--dry-run"); !strings.Contains(out, "| Signer |") || !strings.Contains(out, "| the key sha256:") {
		t.Error(out)
	}
	env["PACKGEN_CACHE_DIR"] = t.TempDir()
	server.DropReferrers()
	if out := run(exitFindings, reader, "pull", "--frozen"); !strings.Contains(out, "it is not signed") {
		t.Error(out)
	}
	if again, err := os.ReadFile(filepath.Join(reader, "packgen.lock")); err != nil || string(again) != string(lock) {
		t.Errorf("the lock changed: %s, %v", again, err)
	}
	// A token in a reference is refused, and nothing says it.
	if out := run(exitMisuse, reader, "pull", "oci://"+server.Host()+"/acme/ghp_"+strings.Repeat("a1B2", 9)); strings.Contains(out, "a1B2a1B2") {
		t.Error(out)
	}
}
