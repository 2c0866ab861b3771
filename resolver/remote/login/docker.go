package login

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/scratch"
)

// maxDocker is the largest configuration of Docker or podman that is read, in bytes.
const maxDocker = 1 << 20

// configs are the files in which Docker and podman may keep logins, all in the form of
// Docker: the one that REGISTRY_AUTH_FILE names, that of Docker, and without the first
// those of podman.
func (f Finder) configs() []string {
	var list []string
	named := f.Getenv("REGISTRY_AUTH_FILE")
	if named != "" {
		list = append(list, named)
	}
	below := func(dir string, names ...string) {
		if dir != "" {
			list = append(list, filepath.Join(append([]string{dir}, names...)...))
		}
	}
	if dir := f.Getenv("DOCKER_CONFIG"); dir != "" {
		below(dir, "config.json")
	} else {
		below(f.home(), ".docker", "config.json")
	}
	if named == "" {
		below(f.Getenv("XDG_RUNTIME_DIR"), "containers", "auth.json")
		if dir := f.Getenv("XDG_CONFIG_HOME"); dir != "" {
			below(dir, "containers", "auth.json")
		} else {
			below(f.home(), ".config", "containers", "auth.json")
		}
	}
	return list
}

// configured looks for the login of a host in a configuration: it asks the helper that the
// configuration names, and takes a login that it holds itself where the helper has none.
func (f Finder) configured(ctx context.Context, name, host string) (*Login, error) {
	data, err := atomicfile.Read(name, maxDocker)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	var config dockerConfig
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // editors of Windows put it first
	if err := json.Unmarshal(data, &config); err != nil {
		return nil, fmt.Errorf("%s is not a configuration of Docker: correct it, or run docker login again", name)
	}
	var fault error
	if suffix := config.helper(host); suffix != "" {
		l, err := f.helper(ctx, suffix, address(host))
		if l != nil {
			return l.from(name)
		}
		if err != nil {
			fault = fmt.Errorf("ask for the login of %s, as %s says: %w", host, name, err)
		}
	}
	l, err := config.login(host)
	if err != nil {
		return nil, errors.Join(fault, fmt.Errorf("the login of %s in %s cannot be read: run docker login again", host, name))
	}
	if l == nil {
		return nil, fault
	}
	return l.from(name)
}

// from is the login, found in a file; nil when a server could read it as something else.
func (l *Login) from(name string) (*Login, error) {
	l.From = name
	if err := l.check(); err != nil {
		return nil, err
	}
	return l, nil
}

// dockerConfig is a configuration of Docker or podman: logins by host, and helpers that have
// them, each by the end of its name.
type dockerConfig struct {
	Auths map[string]dockerLogin `json:"auths"`
	Hosts map[string]string      `json:"credHelpers"`
	All   string                 `json:"credsStore"`
}

// dockerLogin is a login in a configuration.
type dockerLogin struct {
	Auth     string `json:"auth"` // NAME:PASSWORD in base64
	User     string `json:"username"`
	Password string `json:"password"`
	Renewal  string `json:"identitytoken"`
	Token    string `json:"registrytoken"`
}

// helper is the end of the name of the helper for a host; "" for none.
func (c *dockerConfig) helper(host string) string {
	for _, name := range []string{address(host), host} {
		if suffix := c.Hosts[name]; suffix != "" {
			return suffix
		}
	}
	return c.All
}

// login is the login that the configuration itself holds for a host; nil for none. Of entries
// for parts of a registry the first in order of their names counts.
func (c *dockerConfig) login(host string) (*Login, error) {
	names := append([]string{address(host), host}, slices.Sorted(maps.Keys(c.Auths))...)
	for _, name := range names {
		entry, ok := c.Auths[name]
		if !ok || entry == (dockerLogin{}) || hostOf(name) != hostOf(host) {
			continue
		}
		l := &Login{User: entry.User, Password: entry.Password, Token: entry.Token, Renewal: entry.Renewal}
		if entry.Auth != "" {
			pair, err := base64.StdEncoding.DecodeString(entry.Auth)
			user, password, ok := strings.Cut(strings.TrimRight(string(pair), "\x00"), ":")
			if err != nil || !ok {
				return nil, errors.New("it is not a name and a password")
			}
			l.User, l.Password = user, password
		}
		return l, nil
	}
	return nil, nil
}

// dockerHub is under what Docker keeps the login of its own registry.
const dockerHub = "https://index.docker.io/v1/"

// address is the name under which Docker keeps the login of a host.
func address(host string) string {
	if hostOf(host) == hostOf(dockerHub) {
		return dockerHub
	}
	return host
}

// hostOf is the host of an entry of a configuration, in which it may have a scheme and a path.
func hostOf(name string) string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://")
	name, _, _ = strings.Cut(name, "/")
	switch name = strings.ToLower(name); name {
	case "docker.io", "registry-1.docker.io":
		return "index.docker.io"
	}
	return name
}

const (
	helperPrefix  = "docker-credential-"
	maxHelper     = 1 << 20 // bytes of an answer
	tokenUser     = "<token>"
	helperUnknown = "credentials not found in native keychain"
)

// helper asks one of Docker's credential helpers for a login; nil when it has none. It starts
// in a directory of its own, since the working directory may be a stranger's checkout.
func (f Finder) helper(ctx context.Context, suffix, address string) (*Login, error) {
	program, err := scratch.FindProgram(helperPrefix + suffix)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(f.Wait, helperWait), errHelper)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "get")
	cmd.WaitDelay = time.Second
	cmd.Stdin, cmd.Stderr = strings.NewReader(address), os.Stderr
	out, err := scratch.Output(cmd, maxHelper)
	switch said := strings.TrimSpace(string(out)); {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil && said == helperUnknown:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	var answer struct{ Username, Secret string }
	if err := json.Unmarshal(out, &answer); err != nil {
		return nil, fmt.Errorf("the answer of %s cannot be read", program)
	}
	switch {
	case answer.Username == tokenUser:
		return &Login{Renewal: answer.Secret}, nil
	case answer.Username == "" && answer.Secret == "":
		return nil, nil
	}
	return &Login{User: answer.Username, Password: answer.Secret}, nil
}
