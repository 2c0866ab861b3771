package repo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/resolver/agent/hook"
)

// Git is the repository of git that a repository of packs lies in. All calls of git go through it.
type Git struct {
	Below   string // path from the root of the repository to that of the repository of packs, with slashes; "." for the same
	root    string
	program string
}

const (
	gitTime   = 10 * time.Minute // for one call
	maxGit    = 1 << 30          // bytes that one call prints: the history of far more than 100,000 commits
	gitSaying = 4 << 10          // bytes of an error that are kept
)

// gitVerbs are the commands that git is given, each with flags. Their kind is what keeps a
// repository from starting a program: none of them writes, asks a server, or compares the
// work tree, for which git would run filters, hooks and an external diff.
var gitVerbs = map[string][]string{
	"log":       {"--no-ext-diff", "--no-textconv", "--no-mailmap", "--no-color", "-O" + os.DevNull},
	"rev-parse": nil,
}

// gitSettings are above those of the repository, which may be anybody's.
var gitSettings = []string{
	"safe.bareRepository=explicit", // a directory of the checkout that looks like a repository is not used as one
	"core.fsmonitor=false", "core.hooksPath=" + os.DevNull, "core.attributesFile=" + os.DevNull, "core.askPass=", "core.sshCommand=false", "core.gitProxy=false",
	"credential.helper=", "diff.external=", "log.showSignature=false", "gc.auto=0", "maintenance.auto=false", "core.quotepath=off",
}

// OpenGit finds the repository of git that a directory lies in, and checks that git uses the
// same: the nearest directory with .git, whatever else looks like a repository.
func OpenGit(ctx context.Context, dir string) (*Git, error) {
	start := regularfile.RealPath(dir)
	root := gitRoot(start)
	if root == "" {
		return nil, errors.New("neither the repository root nor a directory above it has a .git")
	}
	gitDir, _ := hook.GitDir(root)
	if gitDir == "" {
		return nil, diag.WithHint(fmt.Errorf("%s leads to a directory of git that does not name %s as its work tree", filepath.Join(root, ".git"), root),
			"run git worktree repair there, or set core.worktree in the configuration of that directory")
	}
	program, err := scratch.FindProgram("git")
	if err != nil {
		return nil, diag.WithHint(err, "install git, or put it into a directory of PATH")
	}
	below, err := filepath.Rel(root, start)
	if err != nil {
		return nil, err
	}
	g := &Git{Below: filepath.ToSlash(below), root: root, program: program}
	out, err := g.Run(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return nil, err
	}
	used, err := os.Stat(strings.TrimSuffix(string(out), "\n"))
	if err != nil {
		return nil, err
	}
	if found, err := os.Stat(gitDir); err != nil || !os.SameFile(used, found) {
		return nil, fmt.Errorf("git does not use the repository at %s", gitDir)
	}
	return g, nil
}

// gitRoot is the nearest directory with .git, at or above a directory; "" for none.
func gitRoot(dir string) string {
	for !Holds(dir, ".git") {
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// Run runs a command of git at the root of the repository and returns what it prints. Nothing
// that the repository or its configuration names is started, and no server is asked.
func (g *Git) Run(ctx context.Context, verb string, args ...string) ([]byte, error) {
	flags, known := gitVerbs[verb]
	if !known {
		return nil, fmt.Errorf("packgen does not run git %s", verb)
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, g.program, "--no-pager", "--no-optional-locks", "--literal-pathspecs")
	for _, setting := range gitSettings {
		cmd.Args = append(cmd.Args, "-c", setting)
	}
	cmd.Args = append(append(append(cmd.Args, verb), flags...), args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = g.root, gitEnvironment(os.Environ(), g.root), time.Second
	said := &firstBytes{room: gitSaying}
	cmd.Stderr = said
	out, err := scratch.Output(cmd, maxGit)
	if errors.Is(err, io.ErrShortWrite) {
		return nil, errors.New("the history of git is too long")
	}
	if err != nil {
		reason, _, _ := strings.Cut(strings.TrimSpace(string(said.kept)), "\n")
		if reason == "" {
			reason = err.Error()
		}
		err = errors.New(strings.TrimPrefix(reason, "fatal: "))
		if strings.Contains(reason, "dubious ownership") {
			err = diag.WithHint(err, "let git read what another user owns: git config --global --add safe.directory %s", g.root)
		}
		return nil, err
	}
	return out, nil
}

// gitEnvironment is the environment that git is started in: that of packgen with no variable
// of git but those that name the user's own configuration.
func gitEnvironment(own []string, root string) []string {
	var list []string
	for _, pair := range own {
		name, value, _ := strings.Cut(pair, "=")
		switch name = strings.ToUpper(name); {
		case name == "GIT_CONFIG_GLOBAL", name == "GIT_CONFIG_SYSTEM", name == "HOME", name == "XDG_CONFIG_HOME":
			if !filepath.IsAbs(value) { // it would name a file of the checkout
				continue
			}
		case name == "GIT_TEST_ASSUME_DIFFERENT_OWNER": // with it git refuses more
		case name == "GIT_CONFIG_NOSYSTEM", name == "GIT_CONFIG_COUNT", strings.HasPrefix(name, "GIT_CONFIG_KEY_"), strings.HasPrefix(name, "GIT_CONFIG_VALUE_"):
		case strings.HasPrefix(name, "GIT_"):
			continue
		}
		list = append(list, pair)
	}
	return append(list,
		"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_CEILING_DIRECTORIES="+filepath.Dir(root),
	)
}

// firstBytes keeps the first bytes of what is written to it, and drops the rest.
type firstBytes struct {
	kept []byte
	room int
}

func (f *firstBytes) Write(data []byte) (int, error) {
	f.kept = append(f.kept, data[:min(len(data), f.room-len(f.kept))]...)
	return len(data), nil
}

// attributesName is the file that says what git may change in files.
const attributesName = ".gitattributes"

// attributesLimit is the largest such file in bytes that is read.
const attributesLimit = 1 << 20

// UnsafeLineEnds returns the first of some directories of packs in whose compiled files git
// may change line ends, because no .gitattributes keeps them; "" when there is none, and
// outside of a repository of git.
func UnsafeLineEnds(paths Paths, dirs []string) string {
	top := gitRoot(regularfile.RealPath(paths.Dir))
	if top == "" {
		return ""
	}
	read := map[string][]string{}
	for _, dir := range dirs {
		file := filepath.Join(regularfile.RealPath(paths.Abs(dir)), "compiled", "splits", "page", "section.md")
		below, err := filepath.Rel(top, file)
		if err == nil && filepath.IsLocal(below) && !keepsLineEnds(top, filepath.ToSlash(below), read) {
			return dir
		}
	}
	return ""
}

// LineEndsRule is the line of a .gitattributes that keeps the line ends of a pack, and of
// those beside it.
func LineEndsRule(dir string) string {
	if path.Dir(dir) != "." {
		dir = path.Dir(dir)
	}
	return "/" + dir + "/** text=auto eol=lf"
}

// keepsLineEnds reports whether some .gitattributes, in the top directory or in one on the
// way to a file, keeps the line ends of the file. Read holds the lines of those that were
// read, by directory.
func keepsLineEnds(top, file string, read map[string][]string) bool {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		lines, known := read[dir]
		if !known {
			text, _ := atomicfile.Read(filepath.Join(top, filepath.FromSlash(dir), attributesName), attributesLimit)
			lines = strings.Split(string(text), "\n")
			read[dir] = lines
		}
		below := strings.TrimPrefix(file, dir+"/")
		if slices.ContainsFunc(lines, func(line string) bool { return attributesKeep(line, below) }) {
			return true
		}
		if dir == "." {
			return false
		}
	}
}

// attributesKeep reports a line of a .gitattributes that keeps the line ends of a file below
// its directory.
func attributesKeep(line, file string) bool {
	words := strings.Fields(line)
	if len(words) < 2 || strings.HasPrefix(words[0], "#") || !slices.ContainsFunc(words[1:], func(word string) bool {
		return word == "eol=lf" || word == "-text" || word == "binary"
	}) {
		return false
	}
	pattern, name := words[0], file
	if !strings.Contains(pattern, "/") {
		name = path.Base(file)
	}
	ok, err := doublestar.Match(strings.TrimPrefix(pattern, "/"), name)
	return ok && err == nil
}
