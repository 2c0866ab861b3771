package repo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/compiler/store/remote"
	"github.com/packgen/packgen/compiler/strictyaml"
)

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
func (w *Repo) RemoteOptions(c *RemoteConfig) (o remote.Options, ok bool, err error) {
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
