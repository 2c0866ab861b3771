package repo

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/regularfile"
)

// placed says how a configuration names a place with each key that can name one.
var placed = map[string]string{
	"packs":             "packs: [%q]",
	"roles":             "roles: [%q]",
	"out":               "out: %q",
	"overlay":           "overlay: %q",
	"site.css":          "site: {css: %q}",
	"site.ts":           "site: {ts: %q}",
	"site.report":       "site: {report: %q}",
	"loadout.project":   "loadout: {project: %q}",
	"boot.allow_root":   "boot: {allow_root: [%q]}",
	"documents.pack":    "documents: [{pack: %q, from: f}]",
	"documents.from":    "documents: [{pack: packs/p, from: %q}]",
	"documents.below":   "documents: [{pack: packs/p, from: f, below: %q}]",
	"documents.include": "",
	"documents.exclude": "",
	"trust.ref":         "",
	"trust.subject":     "",
	"trust.key":         "trust: [{ref: example.org/**, key: %q}]",
	"trust.root":        "trust: [{ref: example.org/**, issuer: 'https://example.org', subject: a@example.org, root: %q}]",
	"remote.ca":         "remote: {ca: %q}",
	"remote.cert":       "remote: {cert: %q}",
	"remote.key":        "remote: {key: %q}",
	"remote.private":    "remote: {private: [%q]}",
	"rules.packs":       "",
	"rules.files":       "",
}

// patterns are the keys whose values are compared with paths of the repository: nothing is
// opened by them, except packs and roles, which are looked for below its root.
var patterns = []string{"packs", "roles", "remote.private", "documents.below"}

// Every key of the configuration that names a place names one in the repository.
func TestTheConfigurationNamesNoPlaceElsewhere(t *testing.T) {
	var keys []string
	placeKeys(reflect.TypeFor[Config](), "", &keys)
	for _, key := range keys {
		if _, ok := placed[key]; !ok {
			t.Errorf("%s names a place, and is not in the table", key)
		}
	}
	for key := range placed {
		if !slices.Contains(keys, key) {
			t.Errorf("%s is in the table, and names no place", key)
		}
	}
	for key, form := range placed {
		if form == "" {
			continue // patterns below a place that another key names
		}
		names := []string{"../outside", "ABSOLUTE"}
		if !slices.Contains(patterns, key) {
			names = append(names, "link", "link/sub", "file")
		}
		for _, name := range names {
			w := linkedOut(t)
			outside := filepath.Join(filepath.Dir(w.Paths.Dir), "outside")
			writeConfig(t, w, fmt.Sprintf(form, strings.Replace(name, "ABSOLUTE", outside, 1)))
			if err := w.Load(); err == nil || !strings.HasPrefix(err.Error(), "packgen.yaml:1:") {
				t.Errorf("%s: %s is no finding: %v", key, name, err)
			}
			if !slices.Contains(patterns, key) && !reflect.DeepEqual(w.Config, DefaultConfig()) {
				t.Errorf("%s: %s is applied", key, name)
			}
			if slices.Contains(patterns, key) {
				continue
			}
			w.AllowRoots = []string{outside}
			if err := w.Load(); err != nil && key != "documents.pack" {
				t.Errorf("%s: %s is not allowed: %v", key, name, err)
			}
			w.AllowRoots = nil
			w.Environment = func(name string) string { return map[string]string{regularfile.AllowVariable: outside}[name] }
			if err := w.Load(); err != nil && key != "documents.pack" {
				t.Errorf("%s: %s is not allowed by the variable: %v", key, name, err)
			}
		}
	}
}

// placeKeys lists the keys of a configuration that name places or patterns of them.
func placeKeys(of reflect.Type, prefix string, keys *[]string) {
	for f := range of.Fields() {
		key, t := prefix+f.Tag.Get("key"), f.Type
		if t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		is := f.Tag.Get("is")
		switch {
		case t.Kind() == reflect.Struct:
			placeKeys(t, key+".", keys)
		case strings.Contains(is, "path"), strings.Contains(is, "pattern"), strings.Contains(is, "director"), strings.Contains(is, "file"):
			*keys = append(*keys, key)
		}
	}
}

// linkedOut is a repository with links to a directory and a file outside.
func linkedOut(t *testing.T) *Repo {
	t.Helper()
	dir := t.TempDir()
	repo, outside := filepath.Join(dir, "repo"), filepath.Join(dir, "outside")
	for _, d := range []string{filepath.Join(repo, "real"), filepath.Join(outside, "sub")} {
		oktest.Check(t, os.MkdirAll(d, 0o777))
	}
	oktest.Check(t, os.WriteFile(filepath.Join(outside, "f"), []byte("secret"), 0o666))
	for name, to := range map[string]string{"link": outside, "file": filepath.Join(outside, "f"), "inner": "real", "absolute": filepath.Join(repo, "real")} {
		if err := os.Symlink(to, filepath.Join(repo, name)); err != nil {
			t.Skip(err)
		}
	}
	w := &Repo{Environment: func(string) string { return "" }}
	writeConfig(t, &Repo{Paths: Paths{Dir: repo}}, "")
	w.Find(repo)
	return w
}

func writeConfig(t *testing.T, w *Repo, text string) {
	t.Helper()
	oktest.Check(t, os.WriteFile(filepath.Join(w.Paths.Dir, ConfigName), []byte(text+"\n"), 0o666))
}

// No key names a place of git: what is written there starts when git runs.
func TestTheConfigurationNamesNoPlaceOfGit(t *testing.T) {
	for key, form := range placed {
		if form == "" || slices.Contains(patterns, key) {
			continue
		}
		for _, name := range []string{".git", ".git/hooks/post-commit", "./.GIT/worktrees", "real/.git", "real/.Git/x", "x/../.git/x", ".git./x", "git~1/x", "hooks", "hooks/x", "ABSOLUTE/.git/x"} {
			w := linkedOut(t)
			oktest.Check(t, os.MkdirAll(filepath.Join(w.Paths.Dir, ".git", "hooks"), 0o777))
			if err := os.Symlink(filepath.Join(".git", "hooks"), filepath.Join(w.Paths.Dir, "hooks")); err != nil {
				t.Skip(err)
			}
			writeConfig(t, w, fmt.Sprintf(form, strings.Replace(name, "ABSOLUTE", w.Paths.Dir, 1)))
			if err := w.Load(); err == nil || !strings.HasPrefix(err.Error(), "packgen.yaml:1:") || !strings.Contains(err.Error(), "is in a directory .git") {
				t.Errorf("%s: %s is no finding: %v", key, name, err)
			}
		}
	}
	for _, name := range []string{".github", ".gitlab/x", "x.git", "git"} {
		w := linkedOut(t)
		writeConfig(t, w, fmt.Sprintf("out: %q", name))
		if err := w.Load(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What git keeps has passwords and tokens: a site would publish them as a picture.
func TestTheSiteImportsNothingOfGit(t *testing.T) {
	w := linkedOut(t)
	oktest.Check(t, os.MkdirAll(filepath.Join(w.Paths.Dir, ".git"), 0o777))
	for _, name := range []string{".git/config", "s.css"} {
		oktest.Check(t, os.WriteFile(filepath.Join(w.Paths.Dir, name), nil, 0o666))
	}
	for link, to := range map[string]string{"real/c.png": "../.git/config", "real/g": "../.git"} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(w.Paths.Dir, link)); err != nil {
			t.Skip(err)
		}
	}
	w.Config.Site.CSS = "s.css"
	files := oktest.Value(CustomFiles(w))(t)
	for _, name := range []string{".git/config", "real/c.png", "real/g/config"} {
		if _, err := files.Open(name); err == nil || !strings.Contains(err.Error(), "is in a directory .git") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Links that stay in the repository are fine, and so are paths of it in full.
func TestPlacesOfTheRepositoryStay(t *testing.T) {
	for key, form := range placed {
		if form == "" || slices.Contains(patterns, key) || key == "documents.pack" {
			continue
		}
		for _, name := range []string{"real", "none/yet", "inner", "inner/x", "absolute/x", "./real"} {
			w := linkedOut(t)
			writeConfig(t, w, fmt.Sprintf(form, name))
			if err := w.Load(); err != nil {
				t.Errorf("%s: %s: %v", key, name, err)
			}
			writeConfig(t, w, fmt.Sprintf(form, filepath.Join(w.Paths.Dir, name)))
			if err := w.Load(); err != nil {
				t.Errorf("%s: %s in full: %v", key, name, err)
			}
		}
	}
}

// A configuration that the user keeps elsewhere is not the checkout's; a link in the place
// of the checkout's is.
func TestAConfigurationElsewhereIsTheUsers(t *testing.T) {
	w := linkedOut(t)
	mine := filepath.Join(filepath.Dir(w.Paths.Dir), "outside", "mine.yaml")
	oktest.Check(t, os.WriteFile(mine, []byte("out: /elsewhere\n"), 0o666))
	w.ConfigPath = mine
	if err := w.Load(); err != nil || w.Config.Out != "/elsewhere" {
		t.Errorf("%q, %v", w.Config.Out, err)
	}
	w.ConfigPath = ""
	name := filepath.Join(w.Paths.Dir, ConfigName)
	oktest.Check(t, os.Remove(name))
	oktest.Check(t, os.Symlink(mine, name))
	if err := w.Load(); err == nil || !strings.Contains(err.Error(), "outside the repository") {
		t.Error(err)
	}
}

// What the site's own files import is in the repository too.
func TestFilesOfTheSiteStayInTheRepository(t *testing.T) {
	w := linkedOut(t)
	oktest.Check(t, os.WriteFile(filepath.Join(w.Paths.Dir, "real", "s.css"), []byte("x{}"), 0o666))
	w.Config.Site.CSS = "inner/s.css"
	files := oktest.Value(CustomFiles(w))(t)
	for name, ok := range map[string]bool{"s.css": true, "../absolute/s.css": true, "../file": false, "../link/f": false, "../../outside/f": false} {
		f, err := files.Open(name)
		if (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			f.Close()
		}
	}
	w.Config.Site.CSS = "file"
	if _, err := CustomFiles(w); err == nil {
		t.Error("a link leads out")
	}
	w.AllowRoots = []string{filepath.Join(filepath.Dir(w.Paths.Dir), "outside")}
	if _, err := CustomFiles(w); err != nil {
		t.Error(err)
	}
}
