package schema

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

const tree = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

func fullPackManifest() *PackManifest {
	return &PackManifest{
		SchemaVersion: 1, Name: "p", Version: "1.2.0", Profile: "hybrid", Status: "ready", Trust: "official", Tree: tree,
		Views: []PublishedView{{"compiled/briefing.md", "stale", []string{"Built on stale material."}}, {Path: "compiled/facts.md", Status: "passed"}},
		Files: []PublishedFile{{"KNOWLEDGE.md", 12, digest}},
	}
}

func smallPackManifest() *PackManifest {
	return &PackManifest{
		SchemaVersion: 1, Name: "p", Profile: "wiki-first", Status: "draft", Tree: tree,
		Files: []PublishedFile{{"KNOWLEDGE.md", 0, digest}},
	}
}

func fullSiteManifest() *SiteManifest {
	return &SiteManifest{SchemaVersion: 1, Files: []PublishedFile{{".nojekyll", 0, digest}}}
}

func TestFilesOfAManifestAreCleanPathsInOrder(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		paths      []string
	}{
		{"in order", "", []string{"KNOWLEDGE.md", "wiki/a", "wiki/a/b", "wiki/ä"}},
		{"twice", "/files/1/path", []string{"wiki/a", "wiki/a"}},
		{"out of order", "/files/2/path", []string{"wiki/a", "wiki/c", "wiki/b"}},
		{"no folder of a pack", "/files/1/path", []string{"KNOWLEDGE.md", "hooks/a"}},
		{"no root file of a pack", "/files/0/path", []string{"CLAUDE.md", "KNOWLEDGE.md"}},
		{"a name with a dot", "/files/0/path", []string{".git/config", "KNOWLEDGE.md"}},
		{"a name that Windows forbids", "/files/0/path", []string{"wiki/a*b.md"}},
		{"out of the pack", "/files/0/path", []string{"../a"}},
		{"absolute", "/files/0/path", []string{"/a"}},
		{"backslash", "/files/0/path", []string{`a\b`}},
		{"drive", "/files/0/path", []string{"c:/a"}},
		{"not clean", "/files/0/path", []string{"a//b"}},
		{"too many", fmt.Sprintf("/files/%d/path", MaxPackFiles), many(MaxPackFiles + 1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := smallPackManifest()
			m.Files = nil
			for _, p := range tt.paths {
				m.Files = append(m.Files, PublishedFile{p, 1, digest})
			}
			_, err := DecodePackManifest(encoded(t, m))
			var fault *DecodeError
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (!errors.As(err, &fault) || fault.Pointer != tt.want):
				t.Errorf("got %v, want a fault at %s", err, tt.want)
			}
		})
	}
}

func many(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("wiki/f%07d", i)
	}
	return list
}

func TestNameOfAManifestIsOneName(t *testing.T) {
	for _, name := range []string{"../p", "a/b", ".", "..", "a\nb", `a\b`} {
		m := smallPackManifest()
		m.Name = name
		if _, err := DecodePackManifest(encoded(t, m)); err == nil {
			t.Errorf("%q was taken", name)
		}
	}
}

func TestTreeHashHasOneForm(t *testing.T) {
	for _, bad := range []string{"", "h1:", "h2:" + tree[3:], tree[:46], tree + "=", strings.Replace(tree, "+", "-", 1), tree[:46] + "A"} {
		m := smallPackManifest()
		m.Tree = bad
		if _, err := DecodePackManifest(encoded(t, m)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func FuzzDecodePackManifest(f *testing.F) { fuzzDecode(f, DecodePackManifest, fullPackManifest()) }
func FuzzDecodeSiteManifest(f *testing.F) { fuzzDecode(f, DecodeSiteManifest, fullSiteManifest()) }

// The name of a pack is that of the folder it is unpacked into.
func TestTheNameOfAPublishedPackIsThatOfAFolder(t *testing.T) {
	for name, ok := range map[string]bool{
		"kettle": true, "a-1": true, strings.Repeat("a", 64): true,
		".claude": false, ".git": false, "..": false, "a/b": false, "Kettle": false, "con": false, "nul": false, "a b": false, "git~1": false, strings.Repeat("a", 65): false,
	} {
		m := smallPackManifest()
		m.Name = name
		_, err := DecodePackManifest(encoded(t, m))
		var fault *DecodeError
		if ok && err != nil || !ok && (!errors.As(err, &fault) || fault.Pointer != "/name") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
