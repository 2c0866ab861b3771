package build

import (
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/publish"
)

func TestWhatAHostRefusesIsReportedBeforeTheUpload(t *testing.T) {
	s := &publish.Summary{Created: publish.Tally{Files: 2, Bytes: hostSite / 2}, Unchanged: publish.Tally{Files: 9, Bytes: hostSite / 2}}
	if found := beyondHosts(s, "public"); len(found) != 0 {
		t.Errorf("a site that fits: %v", found)
	}
	s.Updated.Bytes = 1 << 29
	s.Noticed = []publish.PathSize{{Path: "index.json", Size: 150 << 20}}
	found := beyondHosts(s, "public")
	if len(found) != 2 {
		t.Fatalf("%d findings: %v", len(found), found)
	}
	for i, want := range []struct{ path, message string }{
		{"public", "the site has 1.5 GiB, and GitHub Pages takes 1 GiB"},
		{"public/index.json", "the file has 150 MiB, and GitHub takes 100 MiB"},
	} {
		if d := found[i]; d.Path != want.path || d.Message != want.message || !strings.Contains(d.Hint, "packgen push") {
			t.Errorf("finding %d: %+v", i, d)
		}
	}
}

func TestAnArchiveThatOthersCannotTakeIsReported(t *testing.T) {
	for _, c := range []struct {
		size     int64
		registry bool
		want     string
	}{
		{hostFile, false, ""},
		{hostFile + 1, false, "GitHub takes 100 MiB"},
		{hostFile + 1, true, ""},
		{archive.DefaultArchiveBytes + 1, true, "packgen pull takes 512 MiB"},
		{archive.DefaultArchiveBytes + 1, false, "packgen pull takes 512 MiB"},
	} {
		found := oversizeArchive("kettle.tar.gz", c.size, c.registry)
		if (len(found) == 1) != (c.want != "") || len(found) == 1 && (!strings.Contains(found[0].Message, c.want) || found[0].Hint == "") {
			t.Errorf("%d bytes, registry %t: %v", c.size, c.registry, found)
		}
	}
}
