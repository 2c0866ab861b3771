package build

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/compiler/store/remote"
	"github.com/packgen/packgen/resolver/repo"
)

// Where the inputs of an action are below its root, and its output.
const (
	programInput    = "packgen"
	repositoryInput = "repository"
	outputsFile     = "outputs.zst"
)

// program is the running program, an input of every action.
type program struct {
	remote.Digest
	path string
}

// hashed is the program that was hashed last: a process that builds again and again has the
// same one all the time, unless its file is replaced.
var hashed struct {
	sync.Mutex
	program
	info fs.FileInfo
}

func runningProgram() (p program, err error) {
	if p.path, err = os.Executable(); err != nil {
		return p, err
	}
	f, info, err := regularfile.Open(p.path)
	if err != nil {
		return p, err
	}
	defer f.Close()
	hashed.Lock()
	defer hashed.Unlock()
	if h := hashed.info; h != nil && os.SameFile(h, info) && h.Size() == info.Size() && h.ModTime().Equal(info.ModTime()) {
		return hashed.program, nil
	}
	sum := sha256.New()
	if p.Size, err = io.Copy(sum, f); err != nil {
		return p, err
	}
	p.Sum = store.Digest(sum.Sum(nil))
	hashed.program, hashed.info = p, info
	return p, nil
}

func (p program) input() remote.Input {
	return remote.Input{Path: programInput, Program: true, Blob: remote.Blob{Digest: p.Digest, Open: func() (io.ReadCloser, error) {
		f, _, err := regularfile.Open(p.path)
		return f, err
	}}}
}

// passedOn are the variables that outputs depend on.
var passedOn = [...]string{"SOURCE_DATE_EPOCH", "PACKGEN_TITLE", "PACKGEN_BASE_URL", "PACKGEN_MATCHER"}

// command is what an action does: packgen itself, for one pack.
func (b *Run) command(dir, apart string) remote.Command {
	c := remote.Command{
		Arguments:   []string{"./" + programInput, "-C", repositoryInput, "build", "--action", dir, "--out", "../" + outputsFile},
		Environment: map[string]string{}, Platform: repo.Properties(b.ws.Config.Remote.Platform), Outputs: []string{outputsFile},
		Timeout: mostOfAction,
	}
	if b.Flags.Force {
		c.Arguments = append(c.Arguments, "--force")
	}
	for _, name := range passedOn {
		if value := b.ws.Getenv(name); value != "" {
			c.Environment[name] = value
		}
	}
	if apart != "" {
		c.Environment["PACKGEN_APART"] = apart
	}
	return c
}

// mostOfAction is how long an action may take.
const mostOfAction = 15 * time.Minute

// describe makes the action that compiles a pack, with the digests of its files. Where
// there is anything apart, a service can keep its result, and cannot carry it out.
func (b *Run) describe(m *repo.Member, apart string) (*remote.Action, map[string]store.Digest, error) {
	inputs, err := b.sharedInputs()
	if err != nil {
		return nil, nil, err
	}
	sums, err := b.sumsOf(m)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range m.Pack.Files {
		inputs = append(inputs, remote.Input{
			Path: path.Join(repositoryInput, m.Dir, f.Path),
			Blob: remote.Blob{Digest: remote.Digest{Sum: sums[f.Path], Size: f.Size}, Open: opener(m.Pack, f.Path)},
		})
	}
	a, err := b.remote.speaks.NewAction(b.command(m.Dir, apart), inputs)
	return a, sums, err
}

// sumsOf returns the digests of all files of a pack.
func (b *Run) sumsOf(m *repo.Member) (map[string]store.Digest, error) {
	known := compiler.Remembered(m.State())
	sums := make(map[string]store.Digest, len(m.Pack.Files))
	for _, f := range m.Pack.Files {
		digits := known(f)
		if digits == "" {
			var err error
			if digits, err = m.Pack.SHA256(f.Path); err != nil {
				return nil, fmt.Errorf("read %s of %s: %w", f.Path, m.Dir, err)
			}
		}
		sums[f.Path] = store.ParseDigest(digits)
	}
	return sums, nil
}

func opener(p *pack.Pack, name string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		f, _, err := p.OpenFile(name)
		return f, err
	}
}

// sharedInputs are those of all actions: the program and the configuration, without the
// part that is about the service.
func (b *Run) sharedInputs() ([]remote.Input, error) {
	list := []remote.Input{b.remote.program.input()}
	name, named := b.ws.ConfigFile()
	data, err := atomicfile.Read(b.ws.Paths.Abs(name), repo.ConfigLimit)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return list, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	return append(list, remote.Input{Path: path.Join(repositoryInput, repo.ConfigName), Blob: remote.BlobOf(withoutRemote(data))}), nil
}

// withoutRemote cuts the section about the service out of a configuration: addresses and
// rights differ between machines that share results.
func withoutRemote(data []byte) []byte {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(string(data)) {
		if line[0] != ' ' && line[0] != '\t' && line[0] != '#' && line[0] != '\n' && line[0] != '\r' && line[0] != '-' {
			inside = strings.HasPrefix(line, "remote:")
		}
		if !inside {
			b.WriteString(line)
		}
	}
	return []byte(b.String())
}

// private reports whether nothing of a pack may leave the machine: by the configuration, or
// since a source says so in its front matter.
func (b *Run) private(m *repo.Member) bool {
	patterns := b.ws.Config.Remote.Private
	for _, pattern := range patterns {
		if doublestar.MatchUnvalidated(pattern, m.Dir) {
			return true
		}
	}
	for _, f := range m.Pack.Files {
		for _, pattern := range patterns {
			if doublestar.MatchUnvalidated(pattern, path.Join(m.Dir, f.Path)) {
				return true
			}
		}
		if strings.HasPrefix(f.Path, "sources/") && strings.HasSuffix(f.Path, ".md") && markedPrivate(m.Pack, f.Path) {
			return true
		}
	}
	return false
}

// markedPrivate reports a source with "private: true" in its front matter. One that cannot
// be read is private.
func markedPrivate(p *pack.Pack, name string) bool {
	data, err := p.ReadFile(name)
	if err != nil {
		return true
	}
	block, _ := frontmatter.Read(data, frontmatter.Options{Path: name})
	private, _ := frontmatter.NewMap(name, block.Node, nil).Bool("private")
	return private
}

// holdsSecret reports whether a file of a pack holds a likely secret: an action would send
// all of them before any compile has looked.
func holdsSecret(p *pack.Pack) bool {
	for _, f := range p.Files {
		data, err := p.ReadFile(f.Path)
		if err != nil || len(secret.Find(data)) > 0 || len(secret.FindInName(f.Path)) > 0 {
			return true
		}
	}
	return false
}
