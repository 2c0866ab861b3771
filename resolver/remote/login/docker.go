package login

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/scratch"
)

// maxDocker is the largest configuration of Docker that is read, in bytes.
const maxDocker = 1 << 20

// docker reads config.json of the directory that DOCKER_CONFIG names, otherwise of
// .docker in the user's directory, and asks the helper that it names for the host.
func (f Finder) docker(ctx context.Context, host string) (*Login, error) {
	dir := f.Getenv("DOCKER_CONFIG")
	if dir == "" {
		home := f.home()
		if home == "" {
			return nil, nil
		}
		dir = filepath.Join(home, ".docker")
	}
	name := filepath.Join(dir, "config.json")
	data, err := atomicfile.Read(name, maxDocker) // the library would wait for a pipe in its place
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	var helpers dockerHelpers
	store, err := credentials.NewFileStore(name)
	if err = errors.Join(err, json.Unmarshal(data, &helpers)); err != nil {
		return nil, fmt.Errorf("%s is not a configuration of Docker: correct it, or run docker login again", name)
	}
	address := credentials.ServerAddressFromHostname(host)
	get := store.Get
	if suffix := cmp.Or(helpers.Hosts[address], helpers.All); suffix != "" {
		get = f.helper(suffix)
	}
	found, err := get(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("ask Docker's configuration %s for the login of %s: %w", name, host, err)
	}
	if found == auth.EmptyCredential {
		return nil, nil
	}
	l := &Login{User: found.Username, Password: found.Password, Token: found.AccessToken, Renewal: found.RefreshToken, From: name}
	return l, l.check()
}

// dockerHelpers are the helpers that a configuration of Docker names, each by the end of its
// name.
type dockerHelpers struct {
	Hosts map[string]string `json:"credHelpers"`
	All   string            `json:"credsStore"`
}

const (
	helperPrefix  = "docker-credential-"
	maxHelper     = 1 << 20 // bytes of an answer
	tokenUser     = "<token>"
	helperUnknown = "credentials not found in native keychain"
)

// helper asks one of Docker's credential helpers for a login. The library would start it in
// the working directory, which may be a stranger's checkout.
func (f Finder) helper(suffix string) func(ctx context.Context, address string) (auth.Credential, error) {
	return func(ctx context.Context, address string) (auth.Credential, error) {
		program, err := scratch.FindProgram(helperPrefix + suffix)
		if err != nil {
			return auth.EmptyCredential, err
		}
		ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(f.Wait, helperWait), errHelper)
		defer cancel()
		cmd := exec.CommandContext(ctx, program, "get")
		cmd.WaitDelay = time.Second
		cmd.Stdin, cmd.Stderr = strings.NewReader(address), os.Stderr
		out, err := scratch.Output(cmd, maxHelper)
		switch said := strings.TrimSpace(string(out)); {
		case err != nil && ctx.Err() != nil:
			return auth.EmptyCredential, context.Cause(ctx)
		case err != nil && said == helperUnknown:
			return auth.EmptyCredential, nil
		case err != nil:
			return auth.EmptyCredential, fmt.Errorf("%s: %w", program, err)
		}
		var answer struct{ Username, Secret string }
		if err := json.Unmarshal(out, &answer); err != nil {
			return auth.EmptyCredential, fmt.Errorf("the answer of %s cannot be read", program)
		}
		if answer.Username == tokenUser {
			return auth.Credential{RefreshToken: answer.Secret}, nil
		}
		return auth.Credential{Username: answer.Username, Password: answer.Secret}, nil
	}
}
