package repo

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/compiler/strictyaml"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
)

// ConfigName is the configuration file at the repository root.
const ConfigName = "packgen.yaml"

// otherConfigName is what the configuration file is called by mistake. To build without it
// would lose what it says.
const otherConfigName = "packgen.yml"

// ConfigLimit is the most bytes a configuration file may have.
const ConfigLimit = 64 << 10

// Config is packgen.yaml with the environment applied. The defaults build
// packs/* into public/. The tags of the fields here and in the sections are what the
// manual says of each key: the key, what it is, what it is when it is left out where
// that is not the value of [DefaultConfig], and its meaning. Code is in quotes.
type Config struct {
	Title   string        `key:"title" is:"text" doc:"the site's name"`
	BaseURL string        `key:"base_url" is:"address" doc:"where the site will be, in full"`
	Packs   []string      `key:"packs" is:"list of patterns" doc:"directories of packs; '*' within a name, '**' across directories"`
	Roles   []string      `key:"roles" is:"list of patterns" doc:"directories of roles that get a page; packs with a 'boot.yml' among them"`
	Out     string        `key:"out" is:"path" doc:"where the site is written"`
	Overlay string        `key:"overlay" is:"path" doc:"where pack outputs go instead of into the packs"`
	Matcher string        `key:"matcher" is:"'coverage', 'recall' or 'weighted'" doc:"the dialect that 'match' and the site use"`
	Site    SiteConfig    `key:"site"`
	Loadout LoadoutConfig `key:"loadout"`
	Boot    BootConfig    `key:"boot"`
	Runs    RunsConfig    `key:"runs"`
	Pull    PullConfig    `key:"pull"`
	Rules   []policy.Rule `key:"rules"`

	Documents []Documents  `key:"documents"`
	Trust     []Trust      `key:"trust"`
	Remote    RemoteConfig `key:"remote" json:"-"` // no output depends on it
}

// SiteConfig is the "site" section.
type SiteConfig struct {
	Sources     bool     `key:"sources" is:"true or false" doc:"publish 'sources/' too, so that anchors become links; the archives hold it as well"`
	Excerpts    bool     `key:"excerpts" is:"true or false" doc:"show the lines that a claim cites though 'sources/' is not published, of packs that declare a 'license'"`
	Offline     bool     `key:"offline" is:"true or false" doc:"pages that were read can be read again without a network; browsers ask for it on 'https' alone"`
	Runs        bool     `key:"runs" is:"true or false" doc:"put all of 'runs/' into the packs' archives, not only the newest compile run"`
	Skills      bool     `key:"skills" is:"true or false" doc:"publish each pack as an Agent Skill too, with the list in '.well-known/agent-skills/' where agents look for it"`
	Dates       bool     `key:"dates" is:"true or false" doc:"show when each page was last changed, as the commits of git say, in the sitemap too; with 'base_url' also a feed of changes, 'feed.xml'"`
	Edit        string   `key:"edit" is:"address" doc:"an address that edits a file, with '{path}' for the path of the file from the root of the repository; each page then links to it"`
	Highlight   bool     `key:"highlight" is:"true or false" doc:"colour code blocks"`
	CSS         string   `key:"css" is:"path" doc:"a stylesheet added to the site's own"`
	TS          string   `key:"ts" is:"path" doc:"a script added to the site's own, in TypeScript or JavaScript"`
	Language    string   `key:"language" is:"language tag" or:"'en'" doc:"the language of the site's own words, for browsers and screen readers"`
	Description string   `key:"description" is:"text" doc:"one sentence below the title"`
	Examples    []string `key:"examples" is:"list of texts" or:"from the packs" doc:"tasks offered on the match page, at most six"`
	Report      string   `key:"report" is:"path" doc:"an 'index.json' with its 'usage.jsonl' beside it, of which the site gets a page 'report.html'"`
}

// LoadoutConfig is the "loadout" section.
type LoadoutConfig struct {
	Project   string `key:"project" is:"path" doc:"write a second loadout index there, with paths relative to the repository"`
	Split     bool   `key:"split" is:"true or false" doc:"write 'index.json' as a small root with a part for each pack"`
	Tokenizer string `key:"tokenizer" is:"'plain' or 'unicode'" or:"'plain'" doc:"how words of packs in other languages than English are cut"`
}

// BootConfig is the "boot" section.
type BootConfig struct {
	AllowRoots []string `key:"allow_root" is:"list of directories" doc:"directories of the repository that links of roles may lead into; others are allowed with '--allow-root' alone"`
}

// RunsConfig is the "runs" section.
type RunsConfig struct {
	Keep int64 `key:"keep" is:"number" or:"all" doc:"run records that a pack keeps: a compile that records a run removes the oldest beyond that"`
}

// DefaultConfig is what holds when neither a flag, the environment nor the file
// says otherwise.
func DefaultConfig() Config {
	return Config{
		Title:   "Knowledge packs",
		Packs:   []string{"packs/*"},
		Out:     "public",
		Matcher: "coverage",
		Site:    SiteConfig{Highlight: true},
		Remote:  RemoteConfig{Upload: true},
	}
}

// Faults is the error of a configuration file that cannot be used. Every
// fault of the file is in it.
type Faults struct{ List []diag.Diagnostic }

func (f *Faults) Error() string {
	d := f.List[0]
	text := d.Place() + ": " + d.Message
	if n := len(f.List); n > 1 {
		text += fmt.Sprintf(" (and %d more)", n-1)
	}
	return text
}

// Load reads the configuration: the default, over it the file, over that the PACKGEN_
// variables. Flags are the verbs' to apply. After an error the
// configuration decides nothing about findings, and maps no folder.
func (w *Repo) Load() error {
	c, err := readConfigFile(w)
	if err == nil {
		err = applyEnvironment(&c, w.Getenv)
	}
	if err != nil {
		c.Rules, c.Documents = nil, nil
	}
	w.Config = c
	return err
}

// readConfigFile reads the configuration file over the default.
func readConfigFile(w *Repo) (Config, error) {
	c := DefaultConfig()
	name, named := w.ConfigFile()
	if err := w.CheckPlace(name); err != nil && !(named && errors.As(err, new(*gitError))) {
		return c, err // a configuration of the user's own may be kept in .git
	}
	data, err := atomicfile.Read(w.Paths.Abs(name), ConfigLimit)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		if Holds(w.Paths.Dir, otherConfigName) {
			return c, diag.WithHint(fmt.Errorf("%s is not read", otherConfigName), "rename it to %s", ConfigName)
		}
	case errors.Is(err, fs.ErrNotExist):
		return c, diag.Absent("configuration", name, "correct the path, or leave --config out: %s is read if it exists", ConfigName)
	case err != nil:
		return c, fmt.Errorf("read configuration: %w", err)
	default:
		faults, err := ReadConfig(w, &c, w.Paths.Rel(w.Paths.Abs(name)), data)
		if err != nil {
			return DefaultConfig(), err
		}
		if len(faults) > 0 {
			diag.Sort(faults)
			return c, &Faults{faults}
		}
	}
	return c, nil
}

// ConfigFile is the path of the configuration file as given, and whether somebody
// gave it: then it has to exist.
func (w *Repo) ConfigFile() (name string, named bool) {
	if name = cmp.Or(w.ConfigPath, w.Getenv("PACKGEN_CONFIG")); name != "" {
		return name, true
	}
	return ConfigName, false
}

// CheckPlace returns an error if a path that the checkout names is outside of the
// repository, by its name or by a link, and the user does not allow that place.
func (w *Repo) CheckPlace(name string) error {
	c, err := checkoutOf(w)
	if err != nil {
		return err
	}
	return c.check(name)
}

// ReadIn is [atomicfile.Read] below a root.
func ReadIn(root *os.Root, name string, limit int64) ([]byte, error) {
	f, _, err := regularfile.OpenIn(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return atomicfile.ReadOpen(f, name, limit)
}

// ReadConfig applies a configuration file to c and returns what is wrong with the file. Of a
// file of the repository w nothing is applied that names a place outside of it; without a
// repository, nil, the places that the file names are not looked at.
func ReadConfig(w *Repo, c *Config, path string, data []byte) ([]diag.Diagnostic, error) {
	before := *c
	r := &strictyaml.Reader{Options: strictyaml.Options{ID: "config-invalid", Path: path}}
	doc := r.Document(data)
	if doc == nil {
		return r.Faults, nil
	}
	c.read(r, doc)
	known := len(r.Faults)
	if w != nil {
		if err := placeFaults(w, r, doc); err != nil {
			return nil, err
		}
	}
	if len(r.Faults) > known {
		*c = before
	}
	return r.Faults, nil
}

// read reads the keys of a configuration file.
func (c *Config) read(r *strictyaml.Reader, doc *yaml.Node) {
	r.Mapping(doc.Content[0], "", strictyaml.Keys{
		"title":    r.Text(&c.Title),
		"base_url": r.Checked(&c.BaseURL, checkBaseURL),
		"packs":    someOf(r, &c.Packs, checkPattern),
		"roles":    someOf(r, &c.Roles, checkPattern),
		"out":      r.Checked(&c.Out, checkNotEmpty),
		"overlay":  r.Text(&c.Overlay),
		"matcher":  r.Checked(&c.Matcher, checkMatcher),
		"site": r.Section("site", strictyaml.Keys{
			"sources":     r.Bool(&c.Site.Sources),
			"excerpts":    r.Bool(&c.Site.Excerpts),
			"offline":     r.Bool(&c.Site.Offline),
			"runs":        r.Bool(&c.Site.Runs),
			"skills":      r.Bool(&c.Site.Skills),
			"dates":       r.Bool(&c.Site.Dates),
			"edit":        r.Checked(&c.Site.Edit, checkEdit),
			"highlight":   r.Bool(&c.Site.Highlight),
			"css":         r.Text(&c.Site.CSS),
			"ts":          r.Text(&c.Site.TS),
			"language":    r.Text(&c.Site.Language),
			"description": r.Text(&c.Site.Description),
			"examples":    someOf(r, &c.Site.Examples, checkNotEmpty),
			"report":      r.Checked(&c.Site.Report, checkNotEmpty),
		}),
		"loadout": r.Section("loadout", strictyaml.Keys{
			"project":   r.Text(&c.Loadout.Project),
			"split":     r.Bool(&c.Loadout.Split),
			"tokenizer": r.Checked(&c.Loadout.Tokenizer, checkTokenizer),
		}),
		"boot": r.Section("boot", strictyaml.Keys{
			"allow_root": someOf(r, &c.Boot.AllowRoots, checkNotEmpty),
		}),
		"runs":  r.Section("runs", strictyaml.Keys{"keep": limitOf(r, &c.Runs.Keep, maxLimit)}),
		"pull":  r.Section("pull", c.Pull.keys(r)),
		"rules": rulesOf(r, &c.Rules),

		"documents": documentsOf(r, &c.Documents),
		"trust":     trustOf(r, &c.Trust),
		"remote":    c.Remote.section(r),
	})
	c.BaseURL = withSlash(c.BaseURL)
}

// applyEnvironment lets the PACKGEN_ variables override the file. An empty
// variable counts as unset.
func applyEnvironment(c *Config, getenv func(string) string) error {
	for _, v := range []struct {
		name  string
		field *string
		check func(string) error
	}{
		{"PACKGEN_TITLE", &c.Title, nil},
		{"PACKGEN_BASE_URL", &c.BaseURL, checkBaseURL},
		{"PACKGEN_OUT", &c.Out, nil},
		{"PACKGEN_OVERLAY", &c.Overlay, nil},
		{"PACKGEN_MATCHER", &c.Matcher, checkMatcher},
	} {
		value := getenv(v.name)
		if value == "" {
			continue
		}
		if v.check != nil {
			if err := v.check(value); err != nil {
				return fmt.Errorf("%s: %w", v.name, err)
			}
		}
		*v.field = value
	}
	switch value := getenv("PACKGEN_DATES"); value {
	case "":
	case "true", "false":
		c.Site.Dates = value == "true"
	default:
		return diag.WithHint(fmt.Errorf("PACKGEN_DATES: %q is neither true nor false", value), "write true or false")
	}
	if value := getenv("PACKGEN_PACKS"); value != "" {
		c.Packs = strings.Fields(value)
		for _, p := range c.Packs {
			if err := checkPattern(p); err != nil {
				return fmt.Errorf("PACKGEN_PACKS: %w", err)
			}
		}
	}
	c.BaseURL = withSlash(c.BaseURL)
	return c.Remote.environment(getenv)
}

func withSlash(u string) string {
	if u != "" && !strings.HasSuffix(u, "/") {
		u += "/"
	}
	return u
}

func checkBaseURL(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		return diag.WithHint(fmt.Errorf("%q is not the address of a site", s), "write it in full, such as https://example.org/packs/")
	}
	return nil
}

func checkEdit(s string) error {
	u, err := url.Parse(strings.ReplaceAll(s, "{path}", "path"))
	host, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://"), "/")
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Host != host || !strings.Contains(s, "{path}") {
		return diag.WithHint(fmt.Errorf("%q is not an address with {path}", s), "write it in full, such as https://example.org/handbook/edit/main/{path}")
	}
	return nil
}

func checkPattern(s string) error {
	switch {
	case s == "":
		return errors.New("a pattern is empty")
	case filepath.IsAbs(s) || strings.Contains(s, `\`) || s == ".." || strings.HasPrefix(s, "../") || strings.Contains(s, "/../"):
		return diag.WithHint(fmt.Errorf("pattern %q leads out of the repository", s), "write a pattern relative to the repository root, with /")
	case !doublestar.ValidatePattern(s):
		return diag.WithHint(fmt.Errorf("pattern %q is malformed", s), "write a pattern such as packs/* or teams/**/packs/*")
	}
	return nil
}

func checkNotEmpty(s string) error {
	if strings.TrimSpace(s) == "" {
		return errors.New("must not be empty")
	}
	return nil
}

func checkMatcher(s string) error {
	if _, ok := loadout.NamedDialect(s); ok {
		return nil
	}
	return diag.WithHint(fmt.Errorf("unknown matcher %q", s), "write one of %s", strings.Join(loadout.Dialects(), ", "))
}

func checkTokenizer(s string) error {
	if s == "plain" || s == string(loadout.Unicode) {
		return nil
	}
	return diag.WithHint(fmt.Errorf("unknown tokenizer %q", s), "write one of plain, unicode")
}

// Policy is what the configuration makes of findings.
func (c *Config) Policy() *policy.Policy { return &policy.Policy{Rules: c.Rules} }

// NewBuilder returns the builder of the index that the configuration asks for.
// What it makes of packs is remembered in a store; nil remembers nothing.
func (c *LoadoutConfig) NewBuilder(s store.Store) *index.Builder {
	b := index.NewBuilder(s)
	if c.Tokenizer == string(loadout.Unicode) {
		b.UseUnicode()
	}
	return b
}
