package repo

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/rulebook"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/compiler/store/remote"
	"github.com/packgen/packgen/compiler/strictyaml"
)

// someOf reads a list of strings that is not empty; a single string is a list of
// one.
func someOf(r *strictyaml.Reader, field *[]string, check func(string) error) func(*yaml.Node) {
	return func(n *yaml.Node) {
		switch {
		case n.Kind == yaml.ScalarNode && strictyaml.Type(n) == strictyaml.String:
			*field = make([]string, 1)
			r.Checked(&(*field)[0], check)(n)
		case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
			r.Fault(n, "name at least one", "the list is empty")
		default:
			r.List(field, check)(n)
		}
	}
}

// Documents is one entry of the list under "documents": a folder that is read where it
// lies, as documents of a pack.
type Documents struct {
	Pack    string   `key:"pack" is:"path" or:"required" doc:"directory of the pack that gets the documents, relative to the repository root"`
	From    string   `key:"from" is:"path" or:"required" doc:"the folder, never in a pack; one outside of the repository needs '--allow-root'"`
	Below   string   `key:"below" is:"path in the pack" doc:"path below 'documents/' that the folder gets, so that several folders can be mapped"`
	Include []string `key:"include" is:"list of patterns" or:"all" doc:"files that are taken, relative to the folder"`
	Exclude []string `key:"exclude" is:"list of patterns" doc:"files and folders that are left out"`
	MDX     bool     `key:"mdx" is:"true or false" doc:"read '.mdx' as Markdown, its components shown as text"`
	Drafts  bool     `key:"drafts" is:"true or false" doc:"take pages that are drafts too: 'draft: true', 'published: false', 'publish: false', or in '_drafts/'"`
}

// documentsOf reads the list under "documents".
func documentsOf(r *strictyaml.Reader, field *[]Documents) func(*yaml.Node) {
	return r.Each(1000, func(item *yaml.Node) {
		var d Documents
		if !r.Mapping(item, "documents.", strictyaml.Keys{
			"pack":    r.Checked(&d.Pack, checkPattern),
			"from":    r.Checked(&d.From, checkNotEmpty),
			"below":   r.Checked(&d.Below, checkBelow),
			"include": someOf(r, &d.Include, checkGlob),
			"exclude": someOf(r, &d.Exclude, checkGlob),
			"mdx":     r.Bool(&d.MDX),
			"drafts":  r.Bool(&d.Drafts),
		}) {
			return
		}
		for _, key := range [...]string{"pack", "from"} {
			if !hasKey(item, key) {
				r.Fault(item, "say in every entry which folder is read as documents of which pack", "%q is missing", "documents."+key)
			}
		}
		d.Pack = path.Clean(d.Pack)
		*field = append(*field, d)
	})
}

func checkBelow(s string) error {
	if err := packpath.Check(s); err != nil {
		return diag.WithHint(fmt.Errorf("%q is not a path below documents/: %w", s, err), "write it as guide or guide/install")
	}
	return nil
}

func checkGlob(s string) error {
	switch {
	case strings.TrimSpace(s) == "":
		return errors.New("a pattern is empty")
	case !doublestar.ValidatePattern(s):
		return diag.WithHint(fmt.Errorf("pattern %q is malformed", s), "write patterns such as **/*.md or drafts/**, relative to the folder")
	}
	return nil
}

// rulesOf reads the list under "rules": what this repository makes of findings.
func rulesOf(r *strictyaml.Reader, field *[]policy.Rule) func(*yaml.Node) {
	return r.Each(0, func(item *yaml.Node) { *field = append(*field, decisionOf(r, item)) })
}

// decisionOf reads one entry of the list.
func decisionOf(r *strictyaml.Reader, n *yaml.Node) policy.Rule {
	decided := policy.Rule{Line: n.Line}
	var level, reason string
	var at *yaml.Node // of the severity
	if !r.Mapping(n, "rules.", strictyaml.Keys{
		"rule": r.Checked(&decided.Rule, checkRuleID),
		"severity": func(n *yaml.Node) {
			at = n
			r.Checked(&level, checkLevel)(n)
		},
		"packs":  someOf(r, &decided.Packs, checkPattern),
		"files":  someOf(r, &decided.Files, checkPattern),
		"reason": r.Checked(&reason, checkNotEmpty),
	}) {
		return decided
	}
	for _, key := range [...]string{"rule", "severity", "reason"} {
		if !hasKey(n, key) {
			r.Fault(n, "write rule, severity and reason in every entry", "%q is missing", "rules."+key)
		}
	}
	decided.Reason = strings.Join(strings.Fields(reason), " ")
	decided.Level, _ = policy.ParseLevel(level)
	if rule, ok := rulebook.Find(decided.Rule); ok && level != "" && rule.Severity == diag.Error && !rule.Milder {
		r.Fault(at, "correct what it reports", "findings of %q stay errors: they say what cannot be used or must not be published", decided.Rule)
	}
	return decided
}

func hasKey(n *yaml.Node, key string) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return true
		}
	}
	return false
}

func checkRuleID(id string) error {
	if _, ok := rulebook.Find(id); ok {
		return nil
	}
	err := fmt.Errorf("unknown rule %q", id)
	if near := nearest.Name(id, rulebook.IDs()); near != "" {
		return diag.WithHint(err, "did you mean %q?", near)
	}
	return diag.WithHint(err, "run packgen check --explain all for a list")
}

func checkLevel(name string) error {
	if _, ok := policy.ParseLevel(name); ok {
		return nil
	}
	return diag.WithHint(fmt.Errorf("unknown severity %q", name), "write one of %s", strings.Join(policy.Levels(), ", "))
}

// Trust is one entry of the list under "trust": who must have signed packs from elsewhere.
type Trust struct {
	Ref      string `key:"ref" is:"pattern" or:"required" doc:"the references, without tag, digest and '#PACK': '*' within a name, '**' across names; the scheme and the host fit in any case, a path in its own"`
	Issuer   string `key:"issuer" is:"address" doc:"who vouched for the identity that signed, such as 'https://token.actions.githubusercontent.com'"`
	Subject  string `key:"subject" is:"pattern" doc:"the identity that signed: the address of a workflow, or of mail; '*' and '**' as in 'ref'"`
	Key      string `key:"key" is:"path" doc:"the public key of who signed, in PEM; in place of 'issuer' and 'subject'"`
	Root     string `key:"root" is:"path" or:"the public Sigstore" doc:"the 'trusted_root.json' of another Sigstore"`
	Unsigned bool   `key:"unsigned" is:"'true'" doc:"ask for no signature: an exception from the entries that follow"`
}

// trustOf reads the list under "trust".
func trustOf(r *strictyaml.Reader, field *[]Trust) func(*yaml.Node) {
	each := r.Each(1000, func(n *yaml.Node) {
		var t Trust
		if !r.Mapping(n, "trust.", strictyaml.Keys{
			"ref":     r.Checked(&t.Ref, checkNotEmpty),
			"issuer":  r.Checked(&t.Issuer, checkIssuer),
			"subject": r.Checked(&t.Subject, checkSubject),
			"key":     r.Checked(&t.Key, checkNotEmpty),
			"root":    r.Checked(&t.Root, checkNotEmpty),
			"unsigned": func(at *yaml.Node) {
				if r.Bool(&t.Unsigned)(at); strictyaml.Type(at) == strictyaml.Bool && !t.Unsigned {
					r.Fault(at, "write true, or leave it out", "trust.unsigned is true or left out")
				}
			},
		}) {
			return
		}
		const hint = "write ref and one of: issuer and subject, key, unsigned: true"
		ways := 0
		for _, key := range [...]string{"issuer", "key", "unsigned"} {
			if hasKey(n, key) {
				ways++
			}
		}
		switch {
		case !hasKey(n, "ref"):
			r.Fault(n, hint, "%q is missing", "trust.ref")
		case ways != 1:
			r.Fault(n, hint, "an entry under trust names one way to sign, and this one names %d", ways)
		case hasKey(n, "issuer") != hasKey(n, "subject"), hasKey(n, "root") && !hasKey(n, "issuer"):
			r.Fault(n, hint, "issuer and subject belong together, and root to them")
		}
		*field = append(*field, t)
	})
	return func(n *yaml.Node) {
		*field = []Trust{} // an empty list trusts no place; without the key, every place is
		each(n)
	}
}

func checkIssuer(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		return diag.WithHint(fmt.Errorf("%q is not the address of who vouches for identities", s), "write it in full, such as https://token.actions.githubusercontent.com")
	}
	return nil
}

func checkSubject(s string) error {
	if strings.Trim(s, "*/@. ") == "" {
		return diag.WithHint(errors.New("trust.subject accepts everybody"), "write an identity such as https://github.com/OWNER/REPO/.github/workflows/release.yml@refs/tags/*")
	}
	return nil
}

// PullConfig is the "pull" section: how much an archive from elsewhere may hold.
// Zero is the default of package archive.
type PullConfig struct {
	Files        int64 `key:"files" is:"number" or:"'200000'" doc:"files and folders in an archive"`
	Bytes        int64 `key:"bytes" is:"bytes" or:"'1 GiB'" doc:"all files unpacked"`
	FileBytes    int64 `key:"file_bytes" is:"bytes" or:"'64 MiB'" doc:"one file unpacked"`
	ArchiveBytes int64 `key:"archive_bytes" is:"bytes" or:"'512 MiB'" doc:"an archive, and a download"`
	PathBytes    int64 `key:"path_bytes" is:"number" or:"'1280'" doc:"bytes of a path"`
	Depth        int64 `key:"depth" is:"number" or:"'64'" doc:"names in a path"`
	Nested       int64 `key:"nested" is:"number" or:"'3'" doc:"archives one inside another"`
}

// maxLimit is the highest value of a limit: what an int holds everywhere.
const (
	maxLimit = math.MaxInt32
	maxBytes = 1 << 50
)

// keys reads the section.
func (c *PullConfig) keys(r *strictyaml.Reader) strictyaml.Keys {
	return strictyaml.Keys{
		"files":         limitOf(r, &c.Files, maxLimit),
		"bytes":         limitOf(r, &c.Bytes, maxBytes),
		"file_bytes":    limitOf(r, &c.FileBytes, maxBytes),
		"archive_bytes": limitOf(r, &c.ArchiveBytes, maxBytes),
		"path_bytes":    limitOf(r, &c.PathBytes, maxLimit),
		"depth":         limitOf(r, &c.Depth, maxLimit),
		"nested":        limitOf(r, &c.Nested, maxLimit),
	}
}

// Archive are the limits on archives.
func (c PullConfig) Archive() archive.Limits {
	return archive.Limits{
		Files: int(c.Files), Bytes: c.Bytes, FileBytes: c.FileBytes, ArchiveBytes: c.ArchiveBytes,
		PathBytes: int(c.PathBytes), Depth: int(c.Depth), Nested: int(c.Nested),
	}
}

// limitOf reads a whole number from 1 to most; of bytes also with a unit.
func limitOf(r *strictyaml.Reader, field *int64, most int64) func(*yaml.Node) {
	return func(n *yaml.Node) {
		unit := most == maxBytes
		hint := "write a whole number"
		if unit {
			hint = "write a number of bytes, or one followed by KiB, MiB or GiB"
		}
		if kind := strictyaml.Type(n); kind != strictyaml.Number && (!unit || kind != strictyaml.String) {
			r.WrongType(n, "a number", hint)
			return
		}
		value, ok := parseAmount(n)
		switch {
		case !ok:
			r.Fault(n, hint, "%q is no such number", n.Value)
		case value < 1 || value > most:
			r.Fault(n, hint, "%s is not between 1 and %d", n.Value, most)
		default:
			*field = value
		}
	}
}

// parseAmount reads a number, and text such as 12 MiB.
func parseAmount(n *yaml.Node) (value int64, ok bool) {
	if strictyaml.Type(n) == strictyaml.Number {
		return amount.Whole(n.Value)
	}
	text, times := n.Value, int64(1)
	for i, name := range []string{"KiB", "MiB", "GiB"} {
		if number, found := strings.CutSuffix(text, name); found {
			text, times = number, 1<<(10*(i+1))
		}
	}
	value, err := strconv.ParseInt(strings.TrimRight(text, " "), 10, 64)
	return value * times, err == nil && value >= 0 && value <= maxBytes/times && !strings.HasPrefix(text, "+")
}

// RemoteConfig is the "remote" section: the service that shares results of builds.
type RemoteConfig struct {
	Cache    string   `key:"cache" is:"address" doc:"a remote cache, such as 'grpcs://cache.example:443'; the flag '--remote-cache' and 'PACKGEN_REMOTE_CACHE' name another"`
	Executor string   `key:"executor" is:"address" doc:"a service that compiles packs, and their cache where none is named; '--remote-executor' and 'PACKGEN_REMOTE_EXECUTOR' name another"`
	Upload   bool     `key:"upload" is:"true or false" doc:"give results to the cache; 'PACKGEN_REMOTE_UPLOAD=false' is for jobs of pull requests"`
	Instance string   `key:"instance" is:"text" doc:"the name of the instance at the service"`
	Headers  []string `key:"headers" is:"list of 'name=value'" doc:"sent with every call; a value '$PACKGEN_REMOTE_…' is that of the environment variable"`
	CA       string   `key:"ca" is:"path" or:"those of the system" doc:"certificates of authorities, in PEM"`
	Cert     string   `key:"cert" is:"path" doc:"a client certificate, in PEM"`
	Key      string   `key:"key" is:"path" doc:"its private key, in PEM"`
	Platform []string `key:"platform" is:"list of 'name=value'" doc:"properties of the machines that may compile, such as 'OSFamily=linux'"`
	Private  []string `key:"private" is:"list of patterns" doc:"packs, or files of packs, of which nothing leaves the machine"`
}

// section reads the section. It has no key for a credential helper, which an environment
// names: a checkout must not choose a program that runs.
func (c *RemoteConfig) section(r *strictyaml.Reader) func(*yaml.Node) {
	read := r.Section("remote", c.keys(r))
	return func(n *yaml.Node) {
		section := *n
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value != "helper" {
				continue
			}
			r.Fault(n.Content[i], "take remote.helper out of the file, and set "+helperVariable+" in the environment to the name of a program in PATH or to its whole path",
				"a credential helper is not taken from %s: a repository must not choose a program that runs", ConfigName)
			section.Content = slices.Concat(n.Content[:i], n.Content[i+2:])
		}
		read(&section)
	}
}

// keys are those of the section.
func (c *RemoteConfig) keys(r *strictyaml.Reader) strictyaml.Keys {
	return strictyaml.Keys{
		"cache":    r.Checked(&c.Cache, remote.CheckAddress),
		"executor": r.Checked(&c.Executor, remote.CheckAddress),
		"upload":   r.Bool(&c.Upload),
		"instance": r.Text(&c.Instance),
		"headers":  someOf(r, &c.Headers, checkPair),
		"ca":       r.Checked(&c.CA, checkNotEmpty),
		"cert":     r.Checked(&c.Cert, checkNotEmpty),
		"key":      r.Checked(&c.Key, checkNotEmpty),
		"platform": someOf(r, &c.Platform, checkPair),
		"private":  someOf(r, &c.Private, checkPattern),
	}
}

// environment lets the variables override the file.
func (c *RemoteConfig) environment(getenv func(string) string) error {
	for name, field := range map[string]*string{"PACKGEN_REMOTE_CACHE": &c.Cache, "PACKGEN_REMOTE_EXECUTOR": &c.Executor} {
		value := getenv(name)
		if value == "" {
			continue
		}
		if err := remote.CheckAddress(value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		*field = value
	}
	if value := getenv("PACKGEN_REMOTE_UPLOAD"); value != "" {
		upload, err := strconv.ParseBool(value)
		if err != nil {
			return diag.WithHint(fmt.Errorf("PACKGEN_REMOTE_UPLOAD: %q is neither true nor false", value), "write true or false")
		}
		c.Upload = upload
	}
	return nil
}

func checkPair(text string) error {
	name, _, ok := strings.Cut(text, "=")
	if !ok || name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return diag.WithHint(fmt.Errorf("%q is not a name with a value", text), "write name=value")
	}
	return nil
}

// helperVariable names the credential helper.
const helperVariable = "PACKGEN_REMOTE_HELPER"

// environmentPrefix begins the names of variables that a header may have the value of: the
// configuration is a file of the checkout, and must not read others.
const environmentPrefix = "PACKGEN_REMOTE_"

// RemoteOptions are those of a client of the service that the configuration names; ok is
// false when it names none.
func RemoteOptions(w *Repo) (o remote.Options, ok bool, err error) {
	c := &w.Config.Remote
	if c.Cache == "" && c.Executor == "" {
		return o, false, nil
	}
	o = remote.Options{Cache: c.Cache, Executor: c.Executor, Instance: c.Instance, Headers: map[string]string{}}
	for name, field := range map[string]*string{c.CA: &o.CA, c.Cert: &o.Cert, c.Key: &o.Key} {
		if name != "" {
			*field = w.Paths.Abs(name)
		}
	}
	for _, pair := range c.Headers {
		name, value, _ := strings.Cut(pair, "=")
		if variable, ok := strings.CutPrefix(value, "$"); ok {
			if !strings.HasPrefix(variable, environmentPrefix) {
				return o, false, diag.WithHint(fmt.Errorf("the header %s has the value of %s", name, variable), "name a variable that begins with %s", environmentPrefix)
			}
			if value = w.Getenv(variable); value == "" {
				return o, false, diag.WithHint(fmt.Errorf("the header %s has the value of %s, which is not set", name, variable), "set it, or leave the header out of %s", ConfigName)
			}
		}
		o.Headers[name] = value
	}
	if helper := w.Getenv(helperVariable); helper != "" {
		if o.Helper, err = scratch.FindProgram(helper); err != nil {
			return o, false, diag.WithHint(fmt.Errorf("find the credential helper of %s: %w", helperVariable, err),
				"install it in an absolute directory of PATH other than the one you are in, or write its whole path")
		}
	}
	return o, true, nil
}

// Properties are the pairs of a list by their names, in a fixed order.
func Properties(pairs []string) map[string]string {
	m := map[string]string{}
	for _, pair := range slices.Sorted(slices.Values(pairs)) {
		name, value, _ := strings.Cut(pair, "=")
		m[name] = value
	}
	return m
}
