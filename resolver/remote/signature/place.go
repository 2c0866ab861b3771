package signature

import (
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"github.com/packgen/packgen/compiler/diag"
)

// Schemes of places in a network. A place on disk is "dir:PATH", or PATH for an archive.
var (
	hostSchemes = []string{"https", "http", "oci"}
	nameSchemes = []string{"gha", "gitlab"}
)

const directory = "dir"

// Place writes a place, or a pattern of places, in the form in which the two are
// compared. Of an address: the scheme and the host in lower case, the host in ASCII and
// without a final dot, an IPv4-mapped address as IPv4, no usual port, the path decoded,
// cleaned and without a final slash. Of gha: and gitlab:, whose owners and projects have
// no case, all but the last name is in lower case; other paths are as they are written.
func Place(text string) string {
	scheme, rest, _ := strings.Cut(text, ":")
	scheme = strings.ToLower(scheme)
	names, network := strings.CutPrefix(rest, "//")
	switch {
	case network && slices.Contains(hostSchemes, scheme):
		host, below, _ := strings.Cut(names, "/")
		place := cleanPath(below)
		if scheme != "oci" {
			place = strings.TrimSuffix(strings.TrimSuffix(place, "/index.html"), "/catalog.json")
		}
		return scheme + "://" + plainHost(scheme, host) + place
	case network && slices.Contains(nameSchemes, scheme):
		above, last := path.Split(cleanPath(names))
		return scheme + ":/" + strings.ToLower(above) + last
	case scheme == directory && rest != "":
		return directory + ":" + cleanFile(rest)
	}
	return cleanFile(text)
}

func cleanFile(name string) string { return filepath.ToSlash(filepath.Clean(name)) }

// cleanPath is the path of an address, decoded: "" or "/a/b".
func cleanPath(text string) string {
	return strings.TrimSuffix(path.Clean("/"+decoded(text)), "/")
}

func decoded(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// plainHost is a host and its port as most people write them.
func plainHost(scheme, host string) string {
	name, port := cutPort(decoded(host[strings.LastIndexByte(host, '@')+1:]))
	name = plainName(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"))
	if digits := strings.TrimLeft(port, "0"); digits != "" {
		port = digits
	}
	usual := map[string]string{"https": "443", "oci": "443", "http": "80"}[scheme]
	if port == "" || port == usual {
		return name
	}
	return name + ":" + port
}

func cutPort(host string) (name, port string) {
	at := strings.LastIndexByte(host, ':')
	if at < 0 || strings.HasSuffix(host, "]") {
		return host, ""
	}
	return host[:at], host[at+1:]
}

// plainName is the name or the address of a host in its usual form.
func plainName(name string) string {
	if ip, err := netip.ParseAddr(name); err == nil {
		if ip = ip.Unmap(); ip.Is4() {
			return ip.String()
		}
		return "[" + ip.String() + "]"
	}
	name = strings.NewReplacer("。", ".", "．", ".", "｡", ".").Replace(name) // dots of other scripts, as browsers read them
	labels := strings.Split(strings.TrimRight(strings.ToLower(name), "."), ".")
	for i, label := range labels {
		if ascii, err := idna.Lookup.ToASCII(label); err == nil {
			labels[i] = ascii
		}
	}
	name = strings.Join(labels, ".")
	if slices.Contains([]string{"registry-1.docker.io", "index.docker.io"}, name) {
		return "docker.io" // one registry
	}
	return name
}

// CheckPattern returns what is wrong with a pattern of places, that is why it can fit
// none, or would fit more than it says.
func CheckPattern(text string) error {
	scheme, rest, found := strings.Cut(text, ":")
	scheme = strings.ToLower(scheme)
	names, network := strings.CutPrefix(rest, "//")
	known := slices.Concat(hostSchemes, nameSchemes)
	fault := func(hint, format string, args ...any) error {
		return diag.WithHint(fmt.Errorf("trust.ref "+format, args...), "%s", hint)
	}
	switch {
	case !found || scheme == directory || strings.ContainsRune(scheme, '/'):
		return nil
	case !slices.Contains(known, scheme):
		return fault("write "+strings.Join(known, "://, ")+":// or dir:", "%q: unknown scheme %q", text, scheme)
	case !network:
		return fault("write "+scheme+"://", "%q: // is missing after the scheme", text)
	case strings.Contains(names, "#"):
		return fault("leave #NAME out: an entry counts for every pack of a place", "%q names a pack", text)
	case strings.Contains(names, "?"):
		return fault("leave it out: an entry counts for a place with any parameters", "%q holds parameters", text)
	}
	host, below, _ := strings.Cut(names, "/")
	switch {
	case slices.Contains(hostSchemes, scheme) && strings.Contains(host, "@"):
		return fault("leave it out: a reference has none", "%q holds a name or password", text)
	case scheme == "oci" && strings.ContainsAny(below, ":@"):
		return fault("leave it out: an entry counts for every tag and digest", "%q holds a tag or a digest", text)
	case host == "":
		return fault("write HOST/PATH after ://", "%q has no host", text)
	}
	return nil
}
