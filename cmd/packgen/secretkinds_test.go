package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/store/remote/remotetest"
	"github.com/packgen/packgen/compiler/torturetest"
)

// secretForms are forms of tokens: what they begin with, how long the rest is and of which
// characters. They are put together here, so that no scanner reports this file.
func secretForms() []struct {
	prefix string
	length int
	of     string
} {
	const capitals, plain, hex = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789", "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", "0123456789abcdef"
	return []struct {
		prefix string
		length int
		of     string
	}{
		{"AK" + "IA", 16, capitals}, {"AI" + "za", 35, plain}, {"GO" + "CSPX-", 24, plain}, {"do" + "p_v1_", 64, hex}, {"hv" + "s.", 28, plain}, {"dp" + ".pt.", 43, plain},
		{"gh" + "p_", 36, plain}, {"gh" + "o_", 36, plain}, {"gh" + "s_", 36, plain}, {"github" + "_pat_", 40, plain}, {"gl" + "pat-", 20, plain}, {"gl" + "rt-", 20, plain},
		{"xo" + "xb-123456789012-", 24, plain}, {"sk" + "-proj-", 48, plain}, {"sk" + "_live_", 24, plain}, {"np" + "m_", 36, plain}, {"hf" + "_", 34, plain},
		{"nf" + "p_", 36, plain}, {"ts" + "key-auth-", 24, plain}, {"lin" + "_api_", 40, plain}, {"pu" + "l-", 40, hex},
	}
}

// planted500 is a repository with a pack for each form, in which each file that an author
// may write has a token of its own. Parts are twelve characters of each token, in lower
// case, with the file that it is in.
func planted500(chance *rand.Rand, packs int) (files, parts map[string]string) {
	files, parts = map[string]string{"packgen.yaml": "base_url: https://example.org/\nsite:\n  sources: true\n  runs: true\nloadout:\n  project: .claude/loadout/index.json\n"}, map[string]string{}
	pages := plantedPages()
	for i, form := range secretForms()[:packs] {
		pack := fmt.Sprintf("k%d", i)
		dir := "packs/" + pack + "/"
		files[dir+"KNOWLEDGE.md"] = plantedGuide(pack, "")
		files[dir+"documents/a.md"] = "# Sound\n\n## Care of " + pack + "\n\n- Descale it. [source: sources/sound.md#L1]\n\nSee [text](text.md), [[Heading]] and ![[embedded]].\n"
		files[dir+"sources/sound.md"] = "Descale it once a month.\n"
		for _, name := range slices.Sorted(maps.Keys(pages)) {
			rest := make([]byte, form.length)
			for {
				for j := range rest {
					rest[j] = form.of[chance.IntN(len(form.of))]
				}
				if bytes.ContainsAny(rest, "0123456789") && (len(form.of) < 50 || bytes.ContainsAny(rest, "abcdefgh") && bytes.ContainsAny(rest, "ABCDEFGH")) {
					break
				}
			}
			files[dir+name] = strings.ReplaceAll(pages[name], "SECRET", form.prefix+string(rest))
			parts[strings.ToLower(string(rest[2:2+partSize]))] = dir + name
		}
	}
	return files, parts
}

const partSize = 12

// holds returns the files whose token is in what was written.
func holds(data []byte, parts map[string]string) map[string]bool {
	found := map[string]bool{}
	text := strings.ToLower(string(data))
	for _, form := range []string{text, unescaped(text)} {
		for i := 0; i+partSize <= len(form); i++ {
			if name, ok := parts[form[i:i+partSize]]; ok {
				found[name] = true
			}
		}
	}
	return found
}

// No token of any form, wherever an author has written it, is in what packgen prints or
// keeps: sites, archives, indexes, records, skills, bundles, the store, one elsewhere.
func TestNoOutputHoldsASecretOfAnyKind(t *testing.T) {
	t.Parallel()
	each := len(plantedPages())
	count := torturetest.Start(t, "secrets", fmt.Sprintf("%d forms of tokens in %d kinds of places", len(secretForms()), each), 2*each, len(secretForms())*each)
	files, parts := planted500(rand.New(rand.NewPCG(42, 1)), max(1, count.Rounds()/each))
	dir, server := t.TempDir(), remotetest.New(t)
	files["packs/sound/KNOWLEDGE.md"] = plantedGuide("sound", "") // a pack that may leave the machine
	files["packs/sound/documents/a.md"] = "# Sound\n\nText.\n"
	for name, text := range files {
		writeText(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	leaked := map[string]string{}
	look := func(where string, data []byte) {
		for name := range holds(data, parts) {
			leaked[name] = where
		}
	}
	for _, args := range [][]string{
		{"build", "-v", "--all", "--remote-cache", server.Address}, {"build", "--json"}, {"check", "--all"}, {"check", "--json"}, {"check", "--format", "sarif"}, {"resolve", "what is the token of k1"},
		{"resolve", "--json", "care of a bad page"}, {"match", "care token"}, {"plan", "care token"}, {"export", "skills", "--out", "skills"}, {"export", "okf", "--out", "okf"}, {"doctor"}, {"build", "--no-cache"},
	} {
		_, stdout, stderr := runIn(t, map[string]string{"SOURCE_DATE_EPOCH": "1772323200", "HOME": filepath.Join(dir, "home")}, append([]string{"-C", dir}, args...)...)
		look("the output of "+strings.Join(args, " "), []byte(stdout+stderr))
	}
	if look("the remote store", server.Heard()); server.Results() == 0 {
		t.Error("no pack reached the remote store")
	}
	for _, blob := range server.Blobs() {
		look("the remote store", blob)
	}
	seen := 0
	err := filepath.WalkDir(dir, func(full string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, full)
		if _, ours := files[filepath.ToSlash(rel)]; err != nil || d.IsDir() || ours {
			return err
		}
		data, err := os.ReadFile(full)
		if err != nil {
			return err
		}
		seen++
		look(rel, append(data, rel...))
		if z, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
			plain, err := io.ReadAll(z)
			if err != nil {
				return err
			}
			look(rel+", unpacked", plain)
		}
		return nil
	})
	if err != nil || seen < 100 {
		t.Fatalf("%d files, %v", seen, err)
	}
	count.Done(len(parts))
	for _, name := range slices.Sorted(maps.Keys(leaked)) {
		count.Wrong("the token of %s is in %s", name, leaked[name])
	}
}
