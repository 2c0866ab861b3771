package remote

import (
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// Place is where a reference leads, in the one form that the patterns of trust: in
// packgen.yaml are compared with: without tag, digest, parameters and the name of the pack,
// the host in lower case and without the usual port.
func (r Ref) Place() string {
	switch r.Kind {
	case OCI:
		return "oci://" + plainHost(r.Registry.Host) + "/" + r.Registry.Name
	case Site, ArchiveURL:
		u, err := url.Parse(r.URL)
		if err != nil { // ParseRef read it
			return r.URL
		}
		return strings.TrimSuffix(u.Scheme+"://"+plainHost(u.Host)+path.Clean("/"+u.Path), "/")
	case GitHub:
		return "gha://" + r.GitHub.Owner + "/" + r.GitHub.Repo + "/" + r.GitHub.Artifact
	case GitLab:
		return "gitlab://" + r.GitLab.Project + "/" + r.GitLab.Job
	case Directory:
		return "dir:" + filepath.ToSlash(filepath.Clean(r.Path))
	}
	return filepath.ToSlash(filepath.Clean(r.Path))
}

// plainHost is a host as most people write it.
func plainHost(host string) string {
	name, port, found := strings.Cut(strings.ToLower(host), ":")
	name = strings.TrimSuffix(name, ".")
	if found && port != "443" {
		name += ":" + port
	}
	return name
}
