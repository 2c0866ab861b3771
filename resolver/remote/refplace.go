package remote

import (
	"net/url"
	"strings"

	"github.com/packgen/packgen/resolver/remote/signature"
)

// Place is where a reference leads, in the form that the patterns of trust: in
// packgen.yaml are compared with: without tag, digest, parameters and the name of the pack.
func (r Ref) Place() string {
	return signature.Place(r.address())
}

// address is where a reference leads, as a pattern of trust: would write it.
func (r Ref) address() string {
	switch r.Kind {
	case OCI:
		return "oci://" + r.Registry.Host + "/" + r.Registry.Name
	case Site, ArchiveURL:
		address, _, _ := strings.Cut(r.URL, "?")
		return address
	case GitHub:
		return "gha://" + escaped(r.GitHub.Owner, r.GitHub.Repo, r.GitHub.Artifact)
	case GitLab:
		return "gitlab://" + escaped(append(strings.Split(r.GitLab.Project, "/"), r.GitLab.Job)...)
	case Directory:
		return "dir:" + r.Path
	}
	return r.Path
}

func escaped(names ...string) string {
	for i, n := range names {
		names[i] = url.PathEscape(n)
	}
	return strings.Join(names, "/")
}
