package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/packgen/packgen/resolver/repo"
)

// TestScripts runs the command as a user does: each script is a repository of
// packs and what is typed in it.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			env.Setenv("TZ", "UTC")
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			return onPath(env)
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "root":
				return os.Geteuid() == 0, nil
			case "mount":
				return canMount(), nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"packgen":   packgenInProcess,
			"exits":     exits,
			"fill":      fill,
			"addbytes":  addBytes,
			"treesum":   treeSum,
			"treestat":  treeStat,
			"smalldisk": smallDisk,
			"readonly":  readOnlyMount,
			"serve":     serveDir,
			"silent":    silentServer,
		},
	})
}

// packgenInProcess ARGS... runs packgen within the test, which takes a fraction of the
// time of a process. A script writes "exec packgen" where a process matters: standard input,
// a home directory, signals, mounts.
func packgenInProcess(ts *testscript.TestScript, neg bool, args []string) {
	if code := runScripted(ts, args, ts.Stdout(), ts.Stderr()); (code != exitDone) != neg {
		ts.Fatalf("packgen %s: exit code %d", strings.Join(args, " "), code)
	}
}

// runScripted runs packgen within the test, in the directory and with the environment of
// the script.
func runScripted(ts *testscript.TestScript, args []string, stdout, stderr io.Writer) int {
	a := newApp(strings.NewReader(""), stdout, stderr)
	a.cwd, a.Environment = ts.MkAbs("."), func(name string) string {
		if name == repo.CacheVariable && ts.Getenv(name) == "" {
			return filepath.Join(ts.Getenv("XDG_CACHE_HOME"), "packgen", "artifacts")
		}
		return ts.Getenv(name)
	}
	return a.run(context.Background(), args)
}

// ownProcess are the verbs that are more than what they print: they read standard input,
// serve, or look at their own program.
var ownProcess = []string{"hook", "mcp", "serve", "lsp", "boot", "connect", "doctor", "completion"}

// needsProcess reports whether a command is one of these, or the script has a home directory.
func needsProcess(ts *testscript.TestScript, args []string) bool {
	if ts.Getenv("HOME") != noHome || slices.Contains(args, "-") {
		return true
	}
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-C" || args[i] == "--directory" || args[i] == "--config":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return slices.Contains(ownProcess, args[i])
		}
	}
	return false
}

// exits CODE COMMAND [ARGS...] runs a command that must end with that exit code.
// Its outputs are $WORK/stdout and $WORK/stderr, for grep and cmp.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGS...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var stdout, stderr bytes.Buffer
	if args[1] == "packgen" && !needsProcess(ts, args[2:]) {
		code := runScripted(ts, args[2:], &stdout, &stderr)
		keepOutputs(ts, stdout.Bytes(), stderr.Bytes())
		if code != want {
			ts.Fatalf("exit code %d, want %d", code, want)
		}
		return
	}
	cmd := exec.Command(lookPath(ts, args[1]), args[2:]...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{
		"PATH", "HOME", "TMPDIR", "NO_COLOR", "TZ", "LC_ALL", "GOMAXPROCS", "SOURCE_DATE_EPOCH", "XDG_CACHE_HOME", "GOCOVERDIR",
		"AI_LOADOUT_ORG", "AI_LOADOUT_SESSION", "PACKGEN_OUT", "PACKGEN_TITLE", "PACKGEN_BASE_URL", "PACKGEN_PACKS", "PACKGEN_MATCHER", "PACKGEN_DATES", "PACKGEN_CONFIG", "PACKGEN_CACHE_DIR", "PACKGEN_ALLOW_ROOT",
	} {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%s: %v", args[1], err)
	}
	keepOutputs(ts, stdout.Bytes(), stderr.Bytes())
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// keepOutputs writes what a command printed where a script looks for it.
func keepOutputs(ts *testscript.TestScript, stdout, stderr []byte) {
	ts.Logf("[stdout]\n%s[stderr]\n%s", stdout, stderr)
	ts.Check(os.WriteFile(ts.MkAbs(ts.Getenv("WORK")+"/stdout"), stdout, 0o666))
	ts.Check(os.WriteFile(ts.MkAbs(ts.Getenv("WORK")+"/stderr"), stderr, 0o666))
}

// lookPath finds a command on the script's own PATH.
func lookPath(ts *testscript.TestScript, name string) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			return file
		}
	}
	ts.Fatalf("no command %s", name)
	return ""
}

// fill FILE COUNT TEXT appends TEXT (with \n for a line end) COUNT times.
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: fill FILE COUNT TEXT")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := strings.ReplaceAll(args[2], `\n`, "\n")
	appendTo(ts, args[0], bytes.Repeat([]byte(text), n))
}

// addbytes FILE HEX appends bytes.
func addBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: addbytes FILE HEX")
	}
	data, err := hex.DecodeString(args[1])
	ts.Check(err)
	appendTo(ts, args[0], data)
}

func appendTo(ts *testscript.TestScript, name string, data []byte) {
	name = ts.MkAbs(name)
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	ts.Check(err)
	_, err = f.Write(data)
	ts.Check(errors.Join(err, f.Close()))
}

// treesum DIR FILE writes the path and hash of every file below DIR.
func treeSum(ts *testscript.TestScript, neg bool, args []string) {
	listTree(ts, neg, args, func(name string, _ fs.FileInfo) string {
		data, err := os.ReadFile(name)
		ts.Check(err)
		sum := sha256.Sum256(data)
		return hex.EncodeToString(sum[:])
	})
}

// treestat DIR FILE writes the path, time, size and inode of every file below
// DIR: a rewritten file differs even when its bytes are the same.
func treeStat(ts *testscript.TestScript, neg bool, args []string) {
	listTree(ts, neg, args, func(_ string, info fs.FileInfo) string {
		return fmt.Sprintf("%d %d %d", info.ModTime().UnixNano(), info.Size(), inode(info))
	})
}

// listTree writes one line for each file below a directory, state directories and the
// user's key aside.
func listTree(ts *testscript.TestScript, neg bool, args []string, describe func(name string, info fs.FileInfo) string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: treesum|treestat DIR FILE")
	}
	root := ts.MkAbs(args[0])
	var out strings.Builder
	ts.Check(filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == repo.StateName || d.Name() == ".git"):
			return filepath.SkipDir
		case !d.Type().IsRegular(), d.Name() == "store.key":
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%s  %s\n", describe(name, info), filepath.ToSlash(rel))
		return nil
	}))
	if out.Len() == 0 {
		ts.Fatalf("%s holds no files", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(out.String()), 0o666))
}

// smalldisk DIR SIZE puts a file system of that size at DIR until the script
// ends. It needs the condition [mount].
func smallDisk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: smalldisk DIR SIZE")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	ts.Check(mountSmall(dir, args[1]))
	ts.Defer(func() {
		if err := exec.Command("umount", dir).Run(); err != nil {
			ts.Logf("umount %s: %v", dir, err)
		}
	})
}

// readonly DIR makes a directory read-only, even to root, until the script ends.
// It needs the condition [mount].
func readOnlyMount(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: readonly DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(exec.Command("mount", "--bind", dir, dir).Run())
	ts.Defer(func() {
		if err := exec.Command("umount", dir).Run(); err != nil {
			ts.Logf("umount %s: %v", dir, err)
		}
	})
	ts.Check(exec.Command("mount", "-o", "remount,ro,bind", dir).Run())
}

func mountSmall(dir, size string) error {
	return exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "packgen-test", dir).Run()
}

// canMount reports whether this process may mount a file system.
func canMount() bool {
	dir, err := os.MkdirTemp("", "packgen-mount-*")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	return mountSmall(dir, "64k") == nil && exec.Command("umount", dir).Run() == nil
}
