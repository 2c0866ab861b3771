package build

import (
	"fmt"
	"path"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
)

// What GitHub takes, in bytes: a site of its Pages, and a file of a repository.
const (
	hostSite = 1 << 30   // 1 GiB
	hostFile = 100 << 20 // 100 MiB
)

// idSiteOversize is the rule about sites and files that a usual host refuses.
const idSiteOversize = "site-oversize"

// beyondHosts reports a site, and files of it, that are larger than a usual host takes,
// before somebody uploads them. out is the site's directory for display.
func beyondHosts(s *publish.Summary, out string) []diag.Diagnostic {
	var list []diag.Diagnostic
	if size := s.Size(); size > hostSite {
		list = append(list, diag.Diagnostic{
			ID: idSiteOversize, Severity: diag.Warning, Path: out,
			Message: fmt.Sprintf("the site has %s, and GitHub Pages takes %s", bytesize.Text(size), bytesize.Text(hostSite)),
			Hint:    "publish it in an object store or to a registry with packgen push, or make a site for each of a few packs",
		})
	}
	for _, f := range s.Noticed {
		list = append(list, diag.Diagnostic{
			ID: idSiteOversize, Severity: diag.Warning, Path: path.Join(out, f.Path),
			Message: fmt.Sprintf("the file has %s, and GitHub takes %s", bytesize.Text(f.Size), bytesize.Text(hostFile)),
			Hint:    "publish the site in an object store or the packs to a registry with packgen push, or cut the pack into several",
		})
	}
	return list
}

// oversizeArchive reports an archive that others cannot take, before somebody uploads it:
// packgen reads no larger one, unless its limits are set, and a repository on GitHub holds none. A
// registry has no such limit on files.
func oversizeArchive(path string, size int64, registry bool) []diag.Diagnostic {
	d := diag.Diagnostic{ID: idSiteOversize, Severity: diag.Warning, Path: path}
	switch {
	case size > archive.DefaultArchiveBytes:
		d.Message = fmt.Sprintf("the archive has %s, and packgen pull takes %s", bytesize.Text(size), bytesize.Text(archive.DefaultArchiveBytes))
		d.Hint = "cut the pack into several, or leave pictures and other large files out of it"
	case size > hostFile && !registry:
		d.Message = fmt.Sprintf("the archive has %s, and GitHub takes %s in a repository", bytesize.Text(size), bytesize.Text(hostFile))
		d.Hint = "publish it to a registry with packgen push, in an object store or with a release, or cut the pack into several"
	default:
		return nil
	}
	return []diag.Diagnostic{d}
}
