package build

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/store/remote"
	"github.com/packgen/packgen/compiler/store/remote/client"
	"github.com/packgen/packgen/resolver/repo"
)

// The test program is the program of its actions: a service starts it as it would packgen.
func TestMain(m *testing.M) {
	if len(os.Args) == 8 && os.Args[4] == "--action" {
		w := &repo.Repo{}
		dir, err := filepath.Abs(os.Args[2])
		if err == nil {
			w.Find(dir)
			err = Perform(context.Background(), w, Options{Action: os.Args[5], Out: os.Args[7]})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(oktest.Main(m))
}

// worker is Bazel's own remote worker.
type worker struct {
	address string
	cas     string
	cmd     *exec.Cmd
}

// compileWorker compiles the worker, or skips the test where its parts are not installed.
func compileWorker(t testing.TB) []string {
	t.Helper()
	for _, program := range []string{"bash", "java", "javac"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("SKIPPED, NO REAL REMOTE SERVICE IS TRIED: %v", err)
		}
	}
	if _, err := os.Stat("/usr/share/bazel/A-server.jar"); err != nil {
		t.Skip("SKIPPED, NO REAL REMOTE SERVICE IS TRIED: install bazel-bootstrap and bazel-bootstrap-source to run this test")
	}
	out, err := exec.Command("bash", "../../testdata/remote-worker.sh", filepath.Join(t.TempDir(), "classes")).Output()
	if err != nil {
		t.Fatalf("compile the worker: %v", err)
	}
	return strings.Fields(string(out))
}

// start starts a worker with an empty cache, which ends with the test.
func start(t testing.TB, command []string) *worker {
	t.Helper()
	listener := oktest.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	w := &worker{address: fmt.Sprintf("grpc://127.0.0.1:%d", port), cas: t.TempDir()}
	w.cmd = exec.Command(command[0], append(command[1:], fmt.Sprint("--listen_port=", port), "--work_path="+t.TempDir(), "--cas_path="+w.cas, "--jobs=2")...)
	w.cmd.Dir = t.TempDir()
	oktest.Check(t, w.cmd.Start())
	t.Cleanup(w.kill)
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		c, err := client.Dial(context.Background(), remote.Options{Cache: w.address})
		if err == nil {
			c.Close()
			return w
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func (w *worker) kill() {
	if w.cmd.ProcessState == nil {
		_ = w.cmd.Process.Kill()
		_ = w.cmd.Wait()
	}
}

// blobs counts the blobs that the worker has.
func (w *worker) blobs() int {
	n := 0
	_ = filepath.WalkDir(w.cas, func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return nil
	})
	return n
}

func TestInstallBazelsRemoteWorkerKeepsAndCompiles(t *testing.T) {
	command := compileWorker(t)
	w := start(t, command)
	source := smallPacks(t)
	plain, there, fresh := copyOf(t, source), copyOf(t, source), copyOf(t, source)
	remotely(t, plain, Options{})
	if r, note := remotely(t, there, Options{RemoteExecutor: w.address}); r.Executed != 3 || note != "" {
		t.Errorf("compiled by the worker: %+v %s", r, note)
	}
	sameFiles(t, "compiled by the worker", there, plain)
	if r, note := remotely(t, fresh, Options{RemoteCache: w.address}); r.Fetched != 4 || r.Made != 0 || note != "" {
		t.Errorf("fetched from it: %+v %s", r, note)
	}
	sameFiles(t, "fetched from it", fresh, plain)
	// Whenever it is killed, the build ends with the same bytes.
	for _, after := range []int{1, 15} {
		w, dir := start(t, command), copyOf(t, source)
		ended, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for w.blobs() < after {
				select {
				case <-ended:
					return
				case <-time.After(2 * time.Millisecond):
				}
			}
			w.kill()
		}()
		_, note := remotely(t, dir, Options{RemoteExecutor: w.address})
		close(ended)
		<-stopped
		if strings.Contains(note, "\n") {
			t.Errorf("killed: the note is %q", note)
		}
		sameFiles(t, fmt.Sprintf("killed after %d blobs", after), dir, plain)
	}
}
