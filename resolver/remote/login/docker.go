package login

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"

	"github.com/packgen/packgen/compiler/atomicfile"
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
	// It is read here too since a pipe in its place would keep the library waiting.
	if _, err := atomicfile.Read(name, maxDocker); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	store, err := credentials.NewStore(name, credentials.StoreOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s is not a configuration of Docker: correct it, or run docker login again", name)
	}
	found, err := f.helped(ctx, func(ctx context.Context) (auth.Credential, error) {
		return store.Get(ctx, credentials.ServerAddressFromHostname(host))
	})
	if err != nil {
		return nil, fmt.Errorf("ask Docker's configuration %s for the login of %s: %w", name, host, err)
	}
	if found == auth.EmptyCredential {
		return nil, nil
	}
	l := &Login{User: found.Username, Password: found.Password, Token: found.AccessToken, Renewal: found.RefreshToken, From: name}
	return l, l.check()
}

// helped waits for a helper, but not for long. One that does not end when it is
// killed, since a child of it holds its output, is left behind.
func (f Finder) helped(ctx context.Context, ask func(context.Context) (auth.Credential, error)) (auth.Credential, error) {
	type answer struct {
		found auth.Credential
		err   error
	}
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(f.Wait, helperWait), errHelper)
	defer cancel()
	came := make(chan answer, 1)
	go func() {
		found, err := ask(ctx)
		came <- answer{found, err}
	}()
	select {
	case a := <-came:
		if a.err != nil && ctx.Err() != nil {
			a.err = context.Cause(ctx)
		}
		return a.found, a.err
	case <-ctx.Done():
		return auth.EmptyCredential, context.Cause(ctx)
	}
}
