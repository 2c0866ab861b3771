package login

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// Each place that Docker and podman keep logins in is read, the first that has the host counts,
// and nothing that is wrong with one hides what another has.
func TestConfigurationsOfDockerAndPodman(t *testing.T) {
	const mine, yours = `{"auths":{"r.example":{"auth":"bWU6cGFzcw=="}}}`, `{"auths":{"r.example":{"auth":"eW91OndvcmQ="}}}`
	missing := `{"credsStore":"not-here"}`
	for name, c := range map[string]struct {
		files, env map[string]string
		want       string // the name, "" for none
		fails      bool
	}{
		"nothing":               {},
		"docker":                {files: map[string]string{".docker/config.json": mine}, want: "me"},
		"a mark of Windows":     {files: map[string]string{".docker/config.json": "\ufeff" + mine}, want: "me"},
		"runtime of podman":     {files: map[string]string{"run/containers/auth.json": mine}, env: map[string]string{"XDG_RUNTIME_DIR": "run"}, want: "me"},
		"config of podman":      {files: map[string]string{".config/containers/auth.json": mine}, want: "me"},
		"another config":        {files: map[string]string{"xdg/containers/auth.json": mine}, env: map[string]string{"XDG_CONFIG_HOME": "xdg"}, want: "me"},
		"named":                 {files: map[string]string{"a.json": mine, ".docker/config.json": yours}, env: map[string]string{"REGISTRY_AUTH_FILE": "a.json"}, want: "me"},
		"named alone":           {files: map[string]string{"a.json": `{}`, ".config/containers/auth.json": yours}, env: map[string]string{"REGISTRY_AUTH_FILE": "a.json"}},
		"docker before podman":  {files: map[string]string{".docker/config.json": mine, ".config/containers/auth.json": yours}, want: "me"},
		"runtime before config": {files: map[string]string{"run/containers/auth.json": mine, ".config/containers/auth.json": yours}, env: map[string]string{"XDG_RUNTIME_DIR": "run"}, want: "me"},
		"no helper":             {files: map[string]string{".docker/config.json": missing}, fails: true},
		"no helper, podman":     {files: map[string]string{".docker/config.json": missing, ".config/containers/auth.json": mine}, want: "me"},
		"no helper, own login":  {files: map[string]string{".docker/config.json": `{"credsStore":"not-here",` + mine[1:]}, want: "me"},
		"no helper of the host": {files: map[string]string{".docker/config.json": `{"credHelpers":{"r.example":"not-here"},` + mine[1:]}, want: "me"},
		"no helper, netrc":      {files: map[string]string{".docker/config.json": missing, ".netrc": "machine r.example login me password p\n"}, want: "me"},
		"what desktops leave":   {files: map[string]string{".docker/config.json": `{"auths":{"r.example":{}}}`}},
		"broken, podman":        {files: map[string]string{".docker/config.json": `{`, ".config/containers/auth.json": mine}, want: "me"},
		"broken login":          {files: map[string]string{".docker/config.json": `{"auths":{"r.example":{"auth":"%"}}}`}, fails: true},
		"an address":            {files: map[string]string{".docker/config.json": `{"auths":{"https://R.example/v1/":{"auth":"bWU6cGFzcw=="}}}`}, want: "me"},
		"a part of a registry":  {files: map[string]string{".config/containers/auth.json": `{"auths":{"r.example/b":{"auth":"eW91OndvcmQ="},"r.example/a":{"auth":"bWU6cGFzcw=="}}}`}, want: "me"},
		"another host":          {files: map[string]string{".docker/config.json": `{"auths":{"xr.example":{"auth":"bWU6cGFzcw=="},"r.example:5000":{"auth":"bWU6cGFzcw=="}}}`}},
	} {
		home := t.TempDir()
		for file, text := range c.files {
			at := filepath.Join(home, filepath.FromSlash(file))
			oktest.Check(t, os.MkdirAll(filepath.Dir(at), 0o777))
			oktest.Check(t, os.WriteFile(at, []byte(text), 0o600))
		}
		env := map[string]string{"HOME": home}
		for variable, at := range c.env {
			env[variable] = filepath.Join(home, at)
		}
		l, err := Finder{Getenv: environment(env)}.Registry(context.Background(), "r.example")
		got := ""
		if l != nil {
			got = l.User
		}
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("%s: %q, error %v", name, got, err)
		}
	}
}

// Docker keeps the login of its own registry under an address.
func TestTheRegistryOfDockerHasAnAddress(t *testing.T) {
	config := dockerConfig{Auths: map[string]dockerLogin{"https://index.docker.io/v1/": {User: "me", Password: "p"}}}
	for _, host := range []string{"docker.io", "index.docker.io", "registry-1.docker.io"} {
		if l, err := config.login(host); err != nil || l == nil || l.User != "me" {
			t.Errorf("%s: %v, %v", host, l, err)
		}
	}
}
