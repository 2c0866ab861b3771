//go:build unix

package build

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	reapi "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
	"github.com/packgen/packgen/compiler/store/remote/remotetest"
	"github.com/packgen/packgen/resolver/workspace"
)

var (
	benchPacks  = flag.Int("packs", 4, "`number` of packs of BenchmarkRemote")
	benchPages  = flag.Int("pages", 100, "`number` of pages of each of them")
	benchWorker = flag.Bool("worker", false, "compile in Bazel's remote worker, too")
	benchCopy   = flag.Bool("copy", true, "measure what cp takes, too, which needs room for one more build")
	benchRemove = flag.Bool("remove", false, "remove the files of builds that were measured: in memory nobody pays for that")
)

// BenchmarkRemote compares builds with a service and builds without, each a process of its
// own, in processor time (name/cold) and in time that passed (name-wall): filled has
// compiled all and sent it, warm begins with an empty checkout and fetches all, edit does
// so after the text of one page has changed, executed has every pack compiled by the
// service, two at once. Of the service, the actions count and the rest of it does not,
// but for Bazel's worker (worker), of which all does. Copied is what cp takes to copy the
// files of a build, as the least that any can take. Each site must have the bytes of the one
// built without. Of files that are no longer needed only the bytes go: some file
// systems, ext4 among them, look at each inode that was freed in the last minutes whenever
// they make a file, and the next build would pay for the end of the one before.
//
//	go test -run '^$' -bench Remote -benchtime 1x -timeout 2h ./site/build -packs 100 -pages 1000 -worker
func BenchmarkRemote(b *testing.B) {
	var command []string
	if *benchWorker {
		command = compileWorker(b)
	}
	r := &remoteBench{B: b, program: filepath.Join(b.TempDir(), "packgen")}
	if out, err := exec.Command("go", "build", "-o", r.program, "../../cmd/packgen").CombinedOutput(); err != nil {
		b.Fatalf("build packgen: %v\n%s", err, out)
	}
	for b.Loop() {
		r.generate()
		cold := r.build("cold")
		r.wanted = r.sums(cold.dir)
		if *benchCopy {
			r.copy(cold)
		}
		r.drop(cold)
		server := remotetest.New(b)
		server.Forget()
		r.same("filled", r.build("filled", "--remote-cache", server.Address))
		r.same("warm", r.build("warm", "--remote-cache", server.Address, "--no-remote-upload"))
		page := pagesOf(b, r.source, "pack-0000")[0]
		appendTo(b, page, "\nOne more sentence.\n")
		r.drop(r.build("edit", "--remote-cache", server.Address, "--no-remote-upload"))
		server.Stop()
		r.generate()
		r.execute()
		if command != nil {
			w := start(b, command)
			done := r.run("--remote-executor", w.address)
			w.kill()
			done.processor += w.cmd.ProcessState.UserTime() + w.cmd.ProcessState.SystemTime()
			r.report("worker", done)
			r.same("worker", done)
		}
	}
}

// execute measures a build whose packs are compiled by a service.
func (r *remoteBench) execute() {
	server := remotetest.New(r.B)
	defer server.Stop()
	server.Forget()
	e := &executor{dir: r.TempDir(), program: r.program, room: make(chan struct{}, 2)}
	server.Run = e.run
	done := r.run("--remote-executor", server.Address)
	r.ReportMetric(done.processor.Seconds()/r.cold.processor.Seconds(), "joining/cold")
	done.processor += e.processor
	r.report("executed", done)
	pages := float64(*benchPacks * *benchPages)
	r.ReportMetric(float64(e.actions), "actions")
	r.ReportMetric(float64(e.in)/pages, "bytes-in/page")
	r.ReportMetric(float64(e.out)/pages, "bytes-out/page")
	r.ReportMetric(e.processor.Seconds()/float64(max(e.actions, 1)), "s/action")
	r.same("executed", done)
}

// copy measures what it takes to copy all files of a build: no build that makes them can take
// less.
func (r *remoteBench) copy(m measured) {
	c := measured{dir: r.TempDir()}
	cmd := exec.Command("cp", "-R", filepath.Join(m.dir, "packs"), filepath.Join(m.dir, "public"), c.dir)
	begun := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		r.Fatalf("copy a build: %v\n%s", err, out)
	}
	c.wall = time.Since(begun)
	c.processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r.report("copied", c)
	r.drop(c)
}

// remoteBench is a run of the benchmark.
type remoteBench struct {
	*testing.B
	program string
	source  string // directory of the packs
	cold    measured
	wanted  map[string][sha256.Size]byte // digests of the files that a build without a service has made
}

// measured is a build that was done.
type measured struct {
	dir             string
	processor, wall time.Duration
}

// generate writes the packs.
func (r *remoteBench) generate() {
	r.source = r.TempDir()
	for i := range *benchPacks {
		name := fmt.Sprintf("pack-%04d", i)
		oktest.Check(r, packtest.Write(filepath.Join(r.source, "packs", name), packtest.Options{Name: name, Pages: *benchPages, Seed: uint64(i + 1)}))
	}
}

// build builds a fresh copy of the packs, and reports what that took as parts of the build
// that was done first, without a service.
func (r *remoteBench) build(name string, args ...string) measured {
	m := r.run(args...)
	r.report(name, m)
	return m
}

func (r *remoteBench) run(args ...string) measured {
	r.Helper()
	m := measured{dir: r.TempDir()}
	oktest.Check(r, os.CopyFS(m.dir, os.DirFS(r.source)))
	runtime.GC()
	cmd := exec.Command(r.program, append([]string{"-C", m.dir, "build"}, args...)...)
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1700000000")
	begun := time.Now()
	out, err := cmd.CombinedOutput()
	m.wall = time.Since(begun)
	if err != nil {
		r.Fatalf("%s: %v\n%s", args, err, out)
	}
	r.Logf("%s: %s", args, lastLines(out))
	m.processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return m
}

// lastLines are those of a report that say what a service did.
func lastLines(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-2):], "; ")
}

func (r *remoteBench) report(name string, m measured) {
	if r.cold.dir == "" {
		r.cold = m
		r.ReportMetric(m.processor.Seconds(), name+"-s")
		r.ReportMetric(m.wall.Seconds(), name+"-wall-s")
	}
	r.ReportMetric(m.processor.Seconds()/r.cold.processor.Seconds(), name+"/cold")
	r.ReportMetric(m.wall.Seconds()/r.cold.wall.Seconds(), name+"-wall/cold")
}

// same checks that a build has made the same bytes as the first one, and drops them.
func (r *remoteBench) same(name string, m measured) {
	r.Helper()
	differ := 0
	got := r.sums(m.dir)
	for file, sum := range got {
		if r.wanted[file] != sum {
			if differ++; differ < 10 {
				r.Errorf("%s: %s is not what a build without a service makes", name, file)
			}
		}
	}
	if len(got) != len(r.wanted) || differ > 0 {
		r.Errorf("%s: %d files, %d of them others than those of a build without a service, which has %d", name, len(got), differ, len(r.wanted))
	}
	r.drop(m)
}

// drop gives back the room of the files of a build; the files go at the end, or now.
func (r *remoteBench) drop(m measured) {
	if *benchRemove {
		oktest.Check(r, os.RemoveAll(m.dir))
		return
	}
	err := filepath.WalkDir(m.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		return os.Truncate(name, 0)
	})
	oktest.Check(r, err)
}

// sums are the digests of the files of a repository and its site, without those of the store.
func (r *remoteBench) sums(dir string) map[string][sha256.Size]byte {
	all := map[string][sha256.Size]byte{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err == nil && d.Name() == workspace.StateName:
			return filepath.SkipDir
		case err != nil || d.IsDir():
			return err
		}
		data, err := os.ReadFile(name)
		all[strings.TrimPrefix(name, dir)] = sha256.Sum256(data)
		return err
	})
	oktest.Check(r, err)
	return all
}

// executor carries out actions as a service does: each a process in a directory of its own,
// two at once.
type executor struct {
	dir, program string // where it works, and the program of all actions
	room         chan struct{}

	mu        sync.Mutex
	actions   int
	in, out   int // bytes, without the program
	processor time.Duration
}

func (e *executor) run(c *reapi.Command, inputs map[string][]byte) (map[string][]byte, int) {
	e.room <- struct{}{}
	defer func() { <-e.room }()
	root, err := os.MkdirTemp(e.dir, "action-*")
	if err != nil {
		return nil, 1
	}
	defer os.RemoveAll(root)
	for name, data := range inputs {
		to := filepath.Join(root, filepath.FromSlash(name))
		if name == programInput { // as services do: it is an input of every action
			err = os.Link(e.program, to)
		} else if err = os.MkdirAll(filepath.Dir(to), 0o777); err == nil {
			err = os.WriteFile(to, data, 0o444)
		}
		if err != nil {
			return nil, 1
		}
	}
	cmd := exec.Command(c.Arguments[0], c.Arguments[1:]...)
	cmd.Dir = root
	for _, v := range c.GetEnvironmentVariables() {
		cmd.Env = append(cmd.Env, v.GetName()+"="+v.GetValue())
	}
	if err := cmd.Run(); err != nil {
		return nil, 1
	}
	e.mu.Lock()
	e.actions++
	e.processor += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	e.mu.Unlock()
	data, err := os.ReadFile(filepath.Join(root, outputsFile))
	if err != nil {
		return nil, 1
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.out += len(data)
	for name, data := range inputs {
		if name != programInput {
			e.in += len(data)
		}
	}
	return map[string][]byte{outputsFile: data}, 0
}
