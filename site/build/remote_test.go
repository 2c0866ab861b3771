package build

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	reapi "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
	"github.com/packgen/packgen/compiler/store/remote"
	"github.com/packgen/packgen/compiler/store/remote/client"
	"github.com/packgen/packgen/compiler/store/remote/remotetest"
	"github.com/packgen/packgen/resolver/repo"
)

// remotely builds a repository with a service, and returns what the run says of it.
func remotely(t *testing.T, dir string, o Options) (RemoteReport, string) {
	t.Helper()
	return within(t, 0, dir, o)
}

var overGRPC = Protocol{
	Dial: func(ctx context.Context, o remote.Options) (Service, error) {
		c, err := client.Dial(ctx, o)
		if err != nil {
			return nil, err
		}
		return c, nil
	},
	NewAction: client.NewAction, Reason: client.Reason,
}

// within is remotely for a service that may bring nothing for as long.
func within(t *testing.T, quiet time.Duration, dir string, o Options) (RemoteReport, string) {
	t.Helper()
	w := newRebuilds(t, dir).ws
	w.Timeout = quiet
	o.Remote = overGRPC
	oktest.Check(t, w.Load())
	b := oktest.Value(Prepare(context.Background(), w, o))(t)
	defer b.Close()
	if err := b.Do(context.Background()); err != nil || !b.Written {
		t.Fatal(err, b.Repository.Findings())
	}
	r, _ := b.Remote()
	return r, b.RemoteNote()
}

// copyOf returns a copy of a repository, without what packgen has made.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	oktest.Check(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

// sameFiles compares two repositories with their sites.
func sameFiles(t *testing.T, what, got, want string) {
	t.Helper()
	a, b := oktest.Read(t, got, ".packgen"), oktest.Read(t, want, ".packgen")
	for name, text := range b {
		if other, ok := a[name]; !ok {
			t.Errorf("%s: %s is missing", what, name)
		} else if other != text {
			t.Errorf("%s: %s differs", what, name)
		}
	}
	for name := range a {
		if _, ok := b[name]; !ok {
			t.Errorf("%s: %s should not be there", what, name)
		}
	}
}

// shared is a server that knows the outputs of some packs, with a checkout of them, and the
// same built without a server.
func shared(t *testing.T) (server *remotetest.Server, source, plain string) {
	t.Helper()
	server, source = remotetest.New(t), smallPacks(t)
	plain = copyOf(t, source)
	remotely(t, plain, Options{})
	r, note := remotely(t, copyOf(t, source), Options{RemoteCache: server.Address})
	if r.Made != 3 || r.Sent != 4 || note != "" {
		t.Fatalf("the first build: %+v %s", r, note)
	}
	return server, source, plain
}

func TestAMachineFetchesWhatAnotherHasMade(t *testing.T) {
	server, source, plain := shared(t)
	server.Break(remotetest.Faults{ReadOnly: true}) // as for a pull request
	fresh := copyOf(t, source)
	r, note := remotely(t, fresh, Options{RemoteCache: server.Address})
	if r.Fetched != 4 || r.Made != 0 || note != "" {
		t.Errorf("a fresh checkout: %+v %s", r, note)
	}
	sameFiles(t, "fetched", fresh, plain)
	if r, _ := remotely(t, fresh, Options{RemoteCache: server.Address}); r.Fetched+r.Made+r.Sent != 0 || server.Calls("GetActionResult") != 4 {
		t.Errorf("an unchanged checkout: %+v, %d calls", r, server.Calls("GetActionResult"))
	}
	// One edit costs one pack.
	edited := copyOf(t, source)
	page := pagesOf(t, edited, "pack-1")[0]
	appendTo(t, page, "\nOne more sentence.\n")
	appendTo(t, pagesOf(t, plain, "pack-1")[0], "\nOne more sentence.\n")
	if r, note := remotely(t, edited, Options{RemoteCache: server.Address}); r.Fetched != 2 || r.Made != 1 || r.Sent != 0 || note != "" {
		t.Errorf("an edited checkout: %+v %s", r, note)
	}
	again := copyOf(t, source)
	appendTo(t, pagesOf(t, again, "pack-1")[0], "\nOne more sentence.\n")
	remotely(t, again, Options{})
	sameFiles(t, "edited", edited, again)
	// What was fetched can be edited, too.
	appendTo(t, pagesOf(t, fresh, "pack-1")[0], "\nOne more sentence.\n")
	remotely(t, fresh, Options{RemoteCache: server.Address})
	remotely(t, plain, Options{})
	sameFiles(t, "fetched and edited", fresh, plain)
}

// deathStep is 1 to have the server die after every number of calls:
//
//	go test -run AServiceWithAFault ./site/build -deaths 1
var deathStep = flag.Int("deaths", 6, "let the server die after one call and after each `number` more")

// Whatever is wrong with a service, the build finishes with the bytes that it would have
// without it, and says so in one line at most.
func TestAServiceWithAFaultChangesNoByte(t *testing.T) {
	server, source, plain := shared(t)
	faults := map[string]remotetest.Faults{
		"lies": {Lies: true}, "evicts": {Evicts: true}, "hangs": {Hangs: true}, "full": {Full: true}, "read-only": {ReadOnly: true}, "drips": {Drips: true},
	}
	for calls := 1; calls < 26; calls += *deathStep {
		faults[fmt.Sprintf("dies after %d calls", calls)] = remotetest.Faults{Dies: calls}
	}
	for name, f := range faults {
		server.Break(f)
		dir := copyOf(t, source)
		_, note := within(t, patience(f), dir, Options{RemoteCache: server.Address})
		sameFiles(t, name, dir, plain)
		if strings.Contains(note, "\n") || (f.Lies || f.Hangs || f.Drips) && note == "" {
			t.Errorf("%s: the note is %q", name, note)
		}
	}
	// The same where nothing is there yet, and all is to be sent.
	for name, f := range faults {
		empty := remotetest.New(t)
		empty.Break(f)
		dir := copyOf(t, source)
		_, note := within(t, patience(f), dir, Options{RemoteCache: empty.Address})
		sameFiles(t, "empty, "+name, dir, plain)
		if f.Full && !strings.Contains(note, "full") {
			t.Errorf("%s: the note is %q", name, note)
		}
	}
	server.Stop()
	dir := copyOf(t, source)
	if _, note := remotely(t, dir, Options{RemoteCache: server.Address}); !strings.Contains(note, "does not answer") {
		t.Errorf("gone: the note is %q", note)
	}
	sameFiles(t, "gone", dir, plain)
}

// patience is short for a service that never answers, or never ends.
func patience(f remotetest.Faults) time.Duration {
	if f.Hangs || f.Drips {
		return 300 * time.Millisecond
	}
	return 0
}

// rewritten changes the entries of an archive of outputs.
func rewritten(t *testing.T, data []byte, change func(name string, data []byte) (string, []byte)) []byte {
	t.Helper()
	in, err := readOutputs(bytes.NewReader(data), int64(len(data)))
	oktest.Check(t, err)
	defer in.close()
	var buf bytes.Buffer
	z, err := zstd.NewWriter(&buf)
	oktest.Check(t, err)
	out := &outputsWriter{z: z}
	for name, text := outputsList, in.encode(); name != ""; {
		if as, text := change(name, text); as != "" {
			oktest.Check(t, out.add(as, text))
		}
		if name = in.next; name != "" {
			if text, err = in.read(maxEntry); err != nil {
				t.Fatal(err)
			}
		}
	}
	oktest.Check(t, out.close())
	return buf.Bytes()
}

// Outputs that do not fit together are made again, whoever wrote them.
func TestOutputsThatDoNotFitAreMadeHere(t *testing.T) {
	server, source, plain := shared(t)
	for name, with := range map[string]func(data []byte) []byte{
		"cut":        func(data []byte) []byte { return data[:len(data)/2] },
		"no outputs": func([]byte) []byte { return []byte("hello") },
		"nothing":    func([]byte) []byte { return nil },
		"a list of nothing": func(data []byte) []byte {
			return rewritten(t, data, func(name string, data []byte) (string, []byte) { return name, data[:len(data)*min(1, len(name)-7)] })
		},
		"a page of somebody": func(data []byte) []byte {
			return rewritten(t, data, func(name string, data []byte) (string, []byte) {
				if strings.HasSuffix(name, "index.html") {
					data = []byte("<script>alert(1)</script>")
				}
				return name, data
			})
		},
		"a page less": func(data []byte) []byte {
			return rewritten(t, data, func(name string, data []byte) (string, []byte) {
				if strings.HasSuffix(name, "history.html") {
					name = ""
				}
				return name, data
			})
		},
		"a view of somebody": func(data []byte) []byte {
			return rewritten(t, data, func(name string, data []byte) (string, []byte) {
				if strings.HasPrefix(name, packEntry+"compiled/") {
					data = []byte("# Other\n")
				}
				return name, data
			})
		},
		"a file outside": func(data []byte) []byte {
			return rewritten(t, data, func(name string, data []byte) (string, []byte) {
				if strings.HasPrefix(name, packEntry) {
					name = packEntry + "../../outside.md"
				}
				return name, data
			})
		},
	} {
		old := server.Saved()
		server.Replace(with)
		dir := copyOf(t, source)
		r, note := remotely(t, dir, Options{RemoteCache: server.Address, NoUpload: true})
		sameFiles(t, name, dir, plain)
		if note == "" || strings.Contains(note, "\n") {
			t.Errorf("%s: %+v %s", name, r, note)
		}
		server.Restore(old)
	}
}

// Nothing of a pack with a secret or with private sources reaches a service.
func TestSecretsAndPrivateSourcesStayOnTheMachine(t *testing.T) {
	// The program is sent, too: it must not hold them as they are.
	secret := strings.ReplaceAll("ghp_a1B2c3D4-e5F6g7H8i9J0k1L2m-3N4o5P6q7R", "-", "")
	confidential := strings.ReplaceAll("the-merger-is-called-Nightingale", "-", " ")
	dir := smallPacks(t)
	// Each has a pack of its own, and words of its own, in one repository: to send and keep
	// the program takes longer than everything else.
	plants := []struct {
		name  string
		plant func(pack, secret, confidential string)
	}{
		{"a wiki page", func(pack, secret, _ string) {
			appendTo(t, pagesOf(t, dir, pack)[0], "\nThe token is "+secret+".\n")
		}},
		{"a source", func(pack, secret, _ string) {
			appendTo(t, filepath.Join(dir, "packs", pack, "sources/measurements.md"), "\n"+secret+"\n")
		}},
		{"KNOWLEDGE.md", func(pack, secret, _ string) {
			appendTo(t, filepath.Join(dir, "packs", pack, "KNOWLEDGE.md"), "\nUse "+secret+".\n")
		}},
		{"a private source", func(pack, _, confidential string) {
			put(t, dir, "packs/"+pack+"/sources/deal.md", "---\nprivate: true\n---\n\n# Deal\n\n"+confidential+"\n")
		}},
		{"a private pack", func(pack, _, confidential string) {
			appendTo(t, pagesOf(t, dir, pack)[0], "\nHere "+confidential+".\n")
		}},
		{"a private page", func(pack, _, confidential string) {
			appendTo(t, pagesOf(t, dir, pack)[0], "\nHere "+confidential+".\n")
		}},
	}
	planted := func(i int) (pack, own, words string) {
		return fmt.Sprint("holds-", i), fmt.Sprint(secret, i), fmt.Sprint(confidential, " ", i)
	}
	for i, p := range plants {
		pack, own, words := planted(i)
		oktest.Check(t, packtest.Write(filepath.Join(dir, "packs", pack), packtest.Options{Name: pack, Pages: 4, Seed: uint64(i + 10)}))
		p.plant(pack, own, words)
	}
	put(t, dir, "packgen.yaml", "remote:\n  private: [packs/holds-4, 'packs/*-5/wiki/**']\n")

	server := remotetest.New(t)
	server.Run = performer(t)
	w := newRebuilds(t, dir).ws
	oktest.Check(t, w.Load())
	b := oktest.Value(Prepare(context.Background(), w, Options{RemoteExecutor: server.Address, Remote: overGRPC}))(t)
	oktest.Check(t, b.Do(context.Background()))
	r, _ := b.Remote()
	b.Close()
	if r.Executed != 3 {
		t.Errorf("%+v, %s", r, b.RemoteNote())
	}
	heard := server.Heard()
	for _, blob := range server.Blobs() {
		heard = append(heard, blob...)
		if z, err := zstd.NewReader(bytes.NewReader(blob)); err == nil {
			if text, err := io.ReadAll(z); err == nil {
				heard = append(heard, text...)
			}
			z.Close()
		}
	}
	for i, p := range plants {
		if _, own, words := planted(i); bytes.Contains(heard, []byte(own)) || bytes.Contains(heard, []byte(words)) {
			t.Errorf("%s reached the service", p.name)
		}
	}
	for i := range r.Executed {
		if !bytes.Contains(heard, fmt.Append(nil, "pack-", i)) {
			t.Errorf("pack-%d did not reach it", i)
		}
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	oktest.Check(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o666))
}

// performer carries out actions as a service would: in a directory with the inputs alone.
func performer(t *testing.T) func(c *reapi.Command, inputs map[string][]byte) (map[string][]byte, int) {
	return func(c *reapi.Command, inputs map[string][]byte) (map[string][]byte, int) {
		root, err := os.MkdirTemp("", "packgen-test-*")
		if err != nil {
			return nil, 1
		}
		defer os.RemoveAll(root)
		if len(inputs[programInput]) == 0 {
			return nil, 1
		}
		for name, data := range inputs {
			name = filepath.Join(root, filepath.FromSlash(name))
			if os.MkdirAll(filepath.Dir(name), 0o777) != nil || os.WriteFile(name, data, 0o444) != nil {
				return nil, 1
			}
		}
		given := map[string]string{}
		for _, v := range c.GetEnvironmentVariables() {
			given[v.GetName()] = v.GetValue()
		}
		w := &repo.Repo{Environment: func(name string) string { return given[name] }}
		w.Find(filepath.Join(root, repositoryInput))
		if err := Perform(context.Background(), w, Options{Action: c.Arguments[5], Out: filepath.Join(root, outputsFile)}); err != nil {
			return nil, 1
		}
		data, err := os.ReadFile(filepath.Join(root, outputsFile))
		if err != nil {
			return nil, 1
		}
		return map[string][]byte{outputsFile: data}, 0
	}
}

func TestPacksCompileElsewhereToTheSameBytes(t *testing.T) {
	server, source := remotetest.New(t), smallPacks(t)
	put(t, source, "packgen.yaml", "title: Elsewhere\nremote:\n  instance: main\n")
	server.Run = performer(t)
	plain, there, fresh := copyOf(t, source), copyOf(t, source), copyOf(t, source)
	remotely(t, plain, Options{})
	if r, note := remotely(t, there, Options{RemoteExecutor: server.Address}); r.Executed != 3 || r.Made != 0 || r.Sent != 1 || note != "" {
		t.Errorf("compiled elsewhere: %+v %s", r, note)
	}
	sameFiles(t, "compiled elsewhere", there, plain)
	// A machine without the right to have anything compiled finds it all the same: the
	// keys are equal, whatever the section about the service says.
	put(t, fresh, "packgen.yaml", "title: Elsewhere\n")
	if r, note := remotely(t, fresh, Options{RemoteCache: server.Address}); r.Fetched != 4 || note != "" {
		t.Errorf("fetched: %+v %s", r, note)
	}
	put(t, fresh, "packgen.yaml", "title: Elsewhere\nremote:\n  instance: main\n")
	sameFiles(t, "fetched", fresh, plain)
}

func TestAPackThatFailsElsewhereIsCompiledHere(t *testing.T) {
	server, source := remotetest.New(t), smallPacks(t)
	perform, n := performer(t), 0
	server.Run = func(c *reapi.Command, inputs map[string][]byte) (map[string][]byte, int) {
		if c.Arguments[5] == "packs/pack-1" {
			n++
			return nil, 1
		}
		return perform(c, inputs)
	}
	plain := copyOf(t, source)
	remotely(t, plain, Options{})
	if r, _ := remotely(t, source, Options{RemoteExecutor: server.Address}); r.Executed != 2 || r.Made != 1 || n != 1 {
		t.Errorf("%+v, %d tries", r, n)
	}
	sameFiles(t, "compiled here", source, plain)
}

// Machines share results whatever their configuration says of the service.
func TestTheSectionAboutTheServiceIsNoPartOfTheKey(t *testing.T) {
	const plain = "title: T\nsite:\n  runs: true\n"
	for _, text := range []string{
		plain,
		"title: T\nremote:\n  cache: grpc://localhost\n  headers:\n  - x=y\n\n  # a remark\nsite:\n  runs: true\n",
		"remote: {cache: 'grpc://localhost'}\n" + plain,
		plain + "remote:\n  private:\n  - packs/x\n",
	} {
		if got := string(withoutRemote([]byte(text))); got != plain {
			t.Errorf("of %q remains %q", text, got)
		}
	}
}

// As many actions are asked for as the service carries out without a wait; what they made
// comes as the compile takes it.
func TestPacksAreAskedForAheadOfTheCompile(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	order := newTurns(ctx)
	ahead := func() (began, landed int) {
		for order.mayBegin(began) {
			began++
		}
		for order.mayLand(landed) {
			landed++
		}
		return began, landed
	}
	for _, step := range []struct {
		do            func()
		began, landed int
	}{
		{func() {}, fetchesAtOnce, fetchesAtOnce},
		{func() { order.executed(promptAction) }, fetchesAtOnce, fetchesAtOnce},
		{func() { order.executed(time.Second) }, fetchesAtOnce + 1, fetchesAtOnce},
		{func() { order.taken++ }, fetchesAtOnce + 2, fetchesAtOnce + 1},
		{func() {
			for range 2 * actionsAtOnce {
				order.executed(time.Second)
			}
		}, actionsAtOnce + 1, fetchesAtOnce + 1},
	} {
		step.do()
		if began, landed := ahead(); began != step.began || landed != step.landed {
			t.Errorf("%d may begin and %d may come, want %d and %d", began, landed, step.began, step.landed)
		}
	}
	if !order.begin(0) || !order.land(0) {
		t.Error("the first job waits")
	}
	cancel()
	if order.begin(2 * actionsAtOnce) {
		t.Error("a job begins after the end")
	}
}
