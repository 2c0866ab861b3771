package remote

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote/signature"
)

// signedFile writes an archive and its signature beside it; nil for none.
func signedFile(t testing.TB, s *sample, bundle []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), s.name+".tar.gz")
	write(t, name, s.targz)
	if bundle != nil {
		write(t, name+signature.Ending, bundle)
	}
	return name
}

func TestWhatReplacesALockedPackIsComparedWithIt(t *testing.T) {
	s := publish(t, "kettle", "It whistles.") // version 1.2.0
	name := signedFile(t, s, nil)
	for _, tt := range []struct {
		pack, version string
		want          string // in the refusal; "" for none
	}{
		{"kettle", "1.2.0", ""}, {"kettle", "1.1.9", ""}, {"kettle", "", ""},
		{"kettle", "1.3.0", "older than 1.3.0"},
		{"kettle", "latest", "cannot be compared with latest"},
		{"kettle", "1.2.-1", "cannot be compared with 1.2.-1"},
		{"pot", "1.2.0", "led to the pack pot and leads to kettle now"},
		{"pot", "", "led to the pack pot and leads to kettle now"},
	} {
		o := options(t)
		o.Signatures.Previous = &schema.LockedRef{Ref: name, Pack: tt.pack, Version: tt.version, Tree: "another"}
		_, err := Open(context.Background(), mustRef(t, name), o)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s %q: %v", tt.pack, tt.version, err)
		}
		o.Signatures.AllowDowngrade = true
		if _, err := Open(context.Background(), mustRef(t, name), o); err != nil {
			t.Errorf("%s %q, allowed: %v", tt.pack, tt.version, err)
		}
	}
}

func TestAReferenceThatNoRuleFitsIsRefused(t *testing.T) {
	name := signedFile(t, publish(t, "kettle", "It whistles."), nil)
	o := options(t)
	o.Signatures.Policy = &signature.Policy{}
	if _, err := Open(context.Background(), mustRef(t, name), o); err == nil || !strings.Contains(err.Error(), "no entry under trust:") {
		t.Errorf("an empty list: %v", err)
	}
	o.Signatures.Policy.Rules = []signature.Rule{{Ref: "dir:**", Unsigned: true}}
	var refused *SignatureError
	if _, err := Open(context.Background(), mustRef(t, name), o); !errors.As(err, &refused) || !strings.Contains(refused.Hint, "kettle.tar.gz") {
		t.Errorf("an archive where directories are trusted: %v", err)
	}
	if _, err := Open(context.Background(), mustRef(t, "https://h.example/packs/#kettle"), o); !errors.As(err, &refused) || !strings.Contains(refused.Hint, `ref: "https://h.example/packs"`) {
		t.Errorf("before anything is fetched: %v", err)
	}
}

func TestPlacesAreComparedInOneForm(t *testing.T) {
	for text, want := range map[string]string{
		"oci://GHCR.io/acme/kettle:1":                         "oci://ghcr.io/acme/kettle",
		"oci://ghcr.io:443/acme/kettle#kettle":                "oci://ghcr.io/acme/kettle",
		"https://Example.org:443/packs/index.html":            "https://example.org/packs",
		"https://example.org//packs/../packs/#x":              "https://example.org/packs",
		"https://example.org/%70acks/k.tar.gz?a=b":            "https://example.org/packs/k.tar.gz",
		"gha://o/r/packs?branch=x":                            "gha://o/r/packs",
		"gitlab://g/s/p/pages?ref=x":                          "gitlab://g/s/p/pages",
		"dir:./packs/../packs/kettle":                         "dir:packs/kettle",
		"./kettle.tar.gz":                                     "kettle.tar.gz",
		"http://example.org:080/packs/":                       "http://example.org/packs",
		"http://example.org:443/":                             "http://example.org:443",
		"https://example.org.:08867/a%2F..%2Fb/":              "https://example.org:8867/b",
		"https://[::ffff:10.0.0.1]:443/x":                     "https://10.0.0.1/x",
		"https://[2001:DB8:0::1]:8443/x":                      "https://[2001:db8::1]:8443/x",
		"https://Bücher.example/x":                            "https://xn--bcher-kva.example/x",
		"https://b%C3%BCcher.example/x":                       "https://xn--bcher-kva.example/x",
		"https://ｅxample。org/x":                               "https://example.org/x",
		"oci://registry-1.docker.io/acme/kettle":              "oci://docker.io/acme/kettle",
		"oci://ghcr.io/a/b@sha256:" + strings.Repeat("0", 64): "oci://ghcr.io/a/b",
	} {
		if got := mustRef(t, text).Place(); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestVersionsAreCompared(t *testing.T) {
	for _, tt := range []struct {
		a, b  string
		order int
		known bool
	}{
		{"1.2.0", "1.10.0", -1, true}, {"v2.0.0", "1.10.0", 1, true}, {"1.0.0-rc.1", "1.0.0", -1, true},
		{"2026.03", "2026.11", -1, true}, {"3", "3.0", 0, true}, {"", "1.0.0", 0, false}, {"draft", "1.0.0", 0, false},
		{"2026-03-09", "2026-03-31", -1, true}, {"draft", "draft", 0, true}, {"latest", "1.2.0", 0, false}, {"1.2.-1", "1.2.0", 0, false},
		{"99999999999999999999.x", "1.2", 0, false}, {"1.2.0 ", "1.2.0", 0, false}, {"１.3.0", "1.2.0", 0, false}, {"2026-02-31", "2026-02-01", 0, false},
	} {
		if order, known := compareVersions(tt.a, tt.b); order != tt.order || known != tt.known {
			t.Errorf("%q and %q: %d, %v", tt.a, tt.b, order, known)
		}
	}
}
