package signature

import (
	"regexp"
	"slices"
	"strings"
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
