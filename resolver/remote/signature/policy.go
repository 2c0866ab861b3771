package signature

import (
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"github.com/packgen/packgen/compiler/diag"
)

// Policy says which packs from elsewhere must be signed, and by whom.
type Policy struct {
	Rules []Rule // the first one that fits a reference counts
}

// Rule is about the references that a pattern fits.
type Rule struct {
	Ref      string    // a pattern of places: * within a name, ** across them
	Unsigned bool      // no signature is asked for
	Signers  []Allowed // one of them must have signed
	Root     []byte    // the trusted root of a private Sigstore (trusted_root.json); nil means the public one
}

// Allowed is a signer that a rule accepts.
type Allowed struct {
	Issuer  string // exactly
	Subject string // a pattern
	KeyFile string // the public key, as the rule names it
	Key     []byte // its bytes, in PEM
}

// String names what is accepted, in messages.
func (a Allowed) String() string {
	if a.KeyFile != "" {
		return "the key " + a.KeyFile
	}
	return a.Subject + " (" + a.Issuer + ")"
}

// For returns the rule for a place, nil when no signature is asked for. Without a rule
// that fits, known is false: nothing says whether the place is trusted. A nil policy
// knows every place.
func (p *Policy) For(place string) (rule *Rule, known bool) {
	if p == nil {
		return nil, true
	}
	place = Place(place)
	for i := range p.Rules {
		if r := &p.Rules[i]; fitsPlace(Place(r.Ref), place) {
			if r.Unsigned {
				return nil, true
			}
			return r, true
		}
	}
	return nil, false
}

// fitsPlace reports a place that a pattern fits. A final "/**" fits the place before it
// as well, a pattern without a scheme fits directories and archives, and no * of a host
// reaches into the path.
func fitsPlace(pattern, place string) bool {
	if pattern == "**" {
		return true
	}
	scheme, names, network := strings.Cut(pattern, "://")
	if !network {
		file, isDirectory := strings.CutPrefix(place, directory+":")
		return fitsBelow(pattern, place) || isDirectory && fitsBelow(pattern, file)
	}
	placeScheme, placeNames, ok := strings.Cut(place, "://")
	if !ok || scheme != placeScheme {
		return false
	}
	host, below, hasPath := strings.Cut(names, "/")
	placeHost, placeBelow, _ := strings.Cut(placeNames, "/")
	if !hasPath && strings.HasSuffix(host, "**") {
		below = "**"
	}
	return fits(host, placeHost) && fitsBelow("/"+below, "/"+placeBelow)
}

// fitsBelow reports a text that a pattern fits, with or without its final "/**".
func fitsBelow(pattern, text string) bool {
	above, across := strings.CutSuffix(pattern, "/**")
	return fits(pattern, text) || across && above != "" && fits(above, text)
}

// Keys are the public keys that a rule accepts.
func (r *Rule) Keys() [][]byte {
	var list [][]byte
	for _, a := range r.Signers {
		if a.Key != nil {
			list = append(list, a.Key)
		}
	}
	return list
}

// Identities reports a rule that accepts identities.
func (r *Rule) Identities() bool {
	return slices.ContainsFunc(r.Signers, func(a Allowed) bool { return a.Key == nil })
}

// Accepts reports a signer that the rule accepts. That of a key was found among Keys.
func (r *Rule) Accepts(s Signer) bool {
	for _, a := range r.Signers {
		if s.Key != "" && a.Key != nil || s.Key == "" && a.Key == nil && a.Issuer == s.Issuer && fits(a.Subject, s.Subject) {
			return true
		}
	}
	return false
}

// String lists whom the rule accepts.
func (r *Rule) String() string {
	names := make([]string, len(r.Signers))
	for i, a := range r.Signers {
		names[i] = a.String()
	}
	return strings.Join(names, " or ")
}

// fits reports a text that a pattern fits as a whole: * is any characters except "/",
// ** any at all.
func fits(pattern, text string) bool {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for rest := pattern; rest != ""; {
		before, after, found := strings.Cut(rest, "*")
		b.WriteString(regexp.QuoteMeta(before))
		rest = after
		if !found {
			break
		}
		if across, ok := strings.CutPrefix(rest, "*"); ok {
			rest = strings.TrimLeft(across, "*")
			b.WriteString(".*")
		} else {
			b.WriteString("[^/]*")
		}
	}
	b.WriteString(`\z`)
	expression, err := regexp.Compile(b.String())
	return err == nil && expression.MatchString(text)
}

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
