package fetch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// published is a site with packs; each one's archive is "archive of NAME".
func published(names ...string) fstest.MapFS {
	files := fstest.MapFS{}
	var catalog, manifest []string
	add := func(name, text string) {
		files[name] = &fstest.MapFile{Data: []byte(text)}
		manifest = append(manifest, fmt.Sprintf(`{"path":%q,"size":%d,"sha256":%q}`, name, len(text), strings.TrimPrefix(sha([]byte(text)), digestPrefix)))
	}
	for _, name := range names {
		add("packs/"+name+"/pack.json", fmt.Sprintf(`{"schema_version":1,"name":%q}`, name))
		add("packs/"+name+"/pack.tar.gz", "archive of "+name)
		catalog = append(catalog, fmt.Sprintf(`{"name":%q,"location":"packs/%s/KNOWLEDGE.md","unknown":[1]}`, name, name))
	}
	add("catalog.json", `{"schema_version":1,"packs":[`+strings.Join(catalog, ",")+`]}`)
	files["manifest.json"] = &fstest.MapFile{Data: []byte(`{"schema_version":1,"files":[` + strings.Join(manifest, ",\n") + `]}`)}
	return files
}

func TestSiteFindsAPack(t *testing.T) {
	site := fetchtest.NewSite(t, "/some/docs", published("a", "b-2"))
	c, _ := testClient(nil)
	for _, base := range []string{site.URL, site.URL + "/", site.URL + "/index.html", site.URL + "/catalog.json"} {
		r := oktest.Value(c.Site(t.Context(), base, "b-2"))(t)
		data := []byte("archive of b-2")
		if r.Source != SourceSite || r.Name != "b-2" || r.URL != site.URL+"/packs/b-2/pack.tar.gz" || r.Digest != sha(data) || r.Size != int64(len(data)) || string(r.PackJSON) != `{"schema_version":1,"name":"b-2"}` || r.Run != nil {
			t.Errorf("%+v", r)
		}
		if got, digest, err := c.testDownload(t, r); err != nil || string(got) != string(data) || digest != r.Digest {
			t.Errorf("%q, %v", got, err)
		}
	}
}

func TestSiteWithOnePackNeedsNoName(t *testing.T) {
	site := fetchtest.NewSite(t, "", published("only"))
	c, _ := testClient(nil)
	if r, err := c.Site(t.Context(), site.URL, ""); err != nil || r.Name != "only" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestSiteWithSeveralPacksAsksForAName(t *testing.T) {
	site := fetchtest.NewSite(t, "", published("b", "a"))
	c, _ := testClient(nil)
	_, err := c.Site(t.Context(), site.URL, "")
	var choose *ChooseError
	if !errors.As(err, &choose) || !slices.Equal(choose.Names, []string{"a", "b"}) || !strings.Contains(err.Error(), "#NAME: a, b") {
		t.Errorf("error %v", err)
	}
	_, err = c.Site(t.Context(), site.URL, "c")
	wantError(t, err, RuleNotFound, `find pack "c"`, "name one of a, b")
}

func TestSiteLocationsAndNamesAreHostile(t *testing.T) {
	for name, entry := range map[string]string{
		"dots":                  `{"name":"a","location":"../a/KNOWLEDGE.md"}`,
		"dots inside":           `{"name":"a","location":"packs/../../a/KNOWLEDGE.md"}`,
		"absolute":              `{"name":"a","location":"/packs/a/KNOWLEDGE.md"}`,
		"another host":          `{"name":"a","location":"https://evil.example/a/KNOWLEDGE.md"}`,
		"another host, short":   `{"name":"a","location":"//evil.example/a/KNOWLEDGE.md"}`,
		"backslash":             `{"name":"a","location":"packs\\..\\a"}`,
		"drive letter":          `{"name":"a","location":"C:/a/KNOWLEDGE.md"}`,
		"escaped dots":          `{"name":"a","location":"packs/%2e%2e/a/KNOWLEDGE.md"}`,
		"query":                 `{"name":"a","location":"packs/a?x/KNOWLEDGE.md"}`,
		"fragment":              `{"name":"a","location":"packs/a#x/KNOWLEDGE.md"}`,
		"scheme":                `{"name":"a","location":"file:a/KNOWLEDGE.md"}`,
		"NUL":                   `{"name":"a","location":"packs/a\u0000/KNOWLEDGE.md"}`,
		"long":                  `{"name":"a","location":"` + strings.Repeat("a", 2000) + `"}`,
		"no name":               `{"location":"packs/a/KNOWLEDGE.md"}`,
		"name with a slash":     `{"name":"a/b","location":"packs/a/KNOWLEDGE.md"}`,
		"name with dots":        `{"name":"..","location":"packs/a/KNOWLEDGE.md"}`,
		"name with an escape":   `{"name":"\u001b[31m","location":"packs/a/KNOWLEDGE.md"}`,
		"name in upper case":    `{"name":"A","location":"packs/a/KNOWLEDGE.md"}`,
		"name twice":            `{"name":"a"},{"name":"a"}`,
		"name that is not text": `{"name":1}`,
		"a hostile neighbour":   `{"name":"a","location":"packs/a/KNOWLEDGE.md"},{"name":"../b"}`,
	} {
		t.Run(name, func(t *testing.T) {
			files := published("a")
			files["catalog.json"].Data = []byte(`{"schema_version":1,"packs":[` + entry + `]}`)
			site := fetchtest.NewSite(t, "", files)
			c, _ := testClient(nil)
			_, err := c.Site(t.Context(), site.URL, "a")
			wantError(t, err, ruleContent)
			if n := len(site.Requests()); n != 1 {
				t.Errorf("%d requests, want the catalog's alone", n)
			}
		})
	}
}

func TestSiteFilesAreNotWhatTheyShouldBe(t *testing.T) {
	change := func(name, text string) func(fstest.MapFS) {
		return func(files fstest.MapFS) { files[name] = &fstest.MapFile{Data: []byte(text)} }
	}
	remove := func(name string) func(fstest.MapFS) { return func(files fstest.MapFS) { delete(files, name) } }
	digest := strings.Repeat("0", 64)
	for _, tt := range []struct {
		name   string
		change func(fstest.MapFS)
		rule   string
		says   string
	}{
		{"no catalog", remove("catalog.json"), RuleNotFound, "is this the root of a site"},
		{"a web page for a catalog", change("catalog.json", "<!doctype html>"), ruleContent, "a web page came"},
		{"a newer catalog", change("catalog.json", `{"schema_version":2,"packs":[]}`), ruleContent, "schema_version is 2"},
		{"an empty catalog", change("catalog.json", `{"schema_version":1,"packs":[]}`), ruleContent, "no pack"},
		{"a deep catalog", change("catalog.json", strings.Repeat("[", 100_000)), ruleContent, "not the JSON"},
		{"no pack.json", remove("packs/a/pack.json"), RuleNotFound, "published no archives"},
		{"another pack.json", change("packs/a/pack.json", `{"name":"b"}`), ruleContent, `about pack "b", not "a"`},
		{"a broken manifest", change("manifest.json", `{"files":[{]}`), ruleContent, "not a manifest"},
		{"a manifest of another kind", change("manifest.json", `[]`), ruleContent, "not a manifest"},
		{"a manifest with more behind it", change("manifest.json", `{"files":[]} {}`), ruleContent, "something follows"},
		{"a manifest without the archive", change("manifest.json", `{"files":[]}`), RuleNotFound, "lists no packs/a/pack.tar.gz"},
		{"a manifest with a wrong digest", change("manifest.json", `{"files":[{"path":"packs/a/pack.tar.gz","size":1,"sha256":"x"}]}`), ruleContent, "entry of packs/a/pack.tar.gz is wrong"},
		{"a manifest with a wrong size", change("manifest.json", `{"files":[{"path":"packs/a/pack.tar.gz","size":-1,"sha256":"`+digest+`"}]}`), ruleContent, "is wrong"},
		{"a manifest with two entries", change("manifest.json", `{"files":[{"path":"packs/a/pack.json","size":1,"sha256":"`+digest+`"},{"path":"packs/a/pack.json","size":1,"sha256":"`+digest+`"}]}`), ruleContent, "is wrong"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := published("a")
			tt.change(files)
			site := fetchtest.NewSite(t, "/docs", files)
			c, _ := testClient(nil)
			_, err := c.Site(t.Context(), site.URL, "a")
			wantError(t, err, tt.rule, tt.says)
		})
	}
}

func TestSiteWithoutAManifestHasNoDigest(t *testing.T) {
	files := published("a")
	delete(files, "manifest.json")
	site := fetchtest.NewSite(t, "", files)
	c, _ := testClient(nil)
	if r, err := c.Site(t.Context(), site.URL, ""); err != nil || r.Digest != "" || r.Size != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestSitePackJSONMustBeTheOneOfTheManifest(t *testing.T) {
	files := published("a")
	files["packs/a/pack.json"].Data = []byte(`{"name":"a","trust":"official"}`)
	site := fetchtest.NewSite(t, "", files)
	c, _ := testClient(nil)
	_, err := c.Site(t.Context(), site.URL, "")
	var mismatch *MismatchError
	if !errors.As(err, &mismatch) || mismatch.Got != sha(files["packs/a/pack.json"].Data) {
		t.Errorf("error %v", err)
	}
}

func TestSiteSizesAreBounded(t *testing.T) {
	site := fetchtest.NewSite(t, "", published("a"))
	for _, limits := range []Limits{{DocumentBytes: 10}, {ManifestBytes: 10}} {
		c, _ := testClient(nil, func(o *Options) { o.Limits = limits })
		_, err := c.Site(t.Context(), site.URL, "")
		wantError(t, err, RuleTooLarge, "larger than 10 bytes")
	}
}

func TestSiteAddresses(t *testing.T) {
	c, _ := testClient(nil)
	for address, says := range map[string]string{
		"http://example.com/":      "PACKGEN_ALLOW_HTTP=1",
		"https://example.com/?x=1": "no query",
		"https://u:p@example.com/": "user or password",
		"ftp://example.com/":       `scheme "ftp"`,
		"example.com":              `scheme ""`,
		"https://":                 "no host",
		"\x00":                     "not an address",
	} {
		_, err := c.Site(t.Context(), address, "")
		wantError(t, err, ruleAddress, says)
	}
}
