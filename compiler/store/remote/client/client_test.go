package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	reapi "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/store/remote"
	"github.com/packgen/packgen/compiler/store/remote/client"
	"github.com/packgen/packgen/compiler/store/remote/remotetest"
)

func dial(t *testing.T, o remote.Options) *client.Client {
	t.Helper()
	c := oktest.Value(client.Dial(context.Background(), o))(t)
	t.Cleanup(c.Close)
	return c
}

// noise returns bytes that do not compress, the same for the same size.
func noise(size int) []byte {
	data := make([]byte, size)
	r := rand.New(rand.NewPCG(1, uint64(size)))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

// action describes an action with some inputs.
func action(t *testing.T, inputs ...remote.Input) *remote.Action {
	t.Helper()
	return oktest.Value(client.NewAction(remote.Command{Arguments: []string{"./make"}, Environment: map[string]string{"B": "2", "A": "1"}, Outputs: []string{"out"}}, inputs))(t)
}

func input(name, text string) remote.Input {
	return remote.Input{Path: name, Blob: remote.BlobOf([]byte(text))}
}

func TestBlobsOfAllSizesComeBackAsTheyWere(t *testing.T) {
	for _, compressed := range []bool{false, true} {
		server := remotetest.New(t)
		server.Break(remotetest.Faults{Zstd: compressed})
		c := dial(t, remote.Options{Cache: server.Address, Instance: "main/packs"})
		var blobs []remote.Blob
		var texts [][]byte
		for _, size := range []int{0, 1, 1000, 1000, 400_000, 500_000, 3_000_001} {
			texts = append(texts, noise(size))
			blobs = append(blobs, remote.BlobOf(noise(size)))
		}
		for i := range blobs {
			blobs[i].Packed = i%2 == 0
		}
		for range 2 { // the second time nothing is missing
			oktest.Check(t, c.Upload(context.Background(), blobs))
		}
		if n := server.Calls("Write"); n != 3 {
			t.Errorf("%d streams were sent for 3 large blobs", n)
		}
		for i, b := range blobs {
			var got bytes.Buffer
			if err := c.Fetch(context.Background(), b.Digest, &got, false); err != nil || !bytes.Equal(got.Bytes(), texts[i]) {
				t.Errorf("%d bytes came back as %d: %v", len(texts[i]), got.Len(), err)
			}
			got.Reset()
			if err := c.Fetch(context.Background(), b.Digest, &got, true); err != nil || !bytes.Equal(got.Bytes(), texts[i]) {
				t.Errorf("%d bytes came back as they are as %d: %v", len(texts[i]), got.Len(), err)
			}
		}
	}
}

func TestManySmallBlobsGoInMessagesThatTheServiceTakes(t *testing.T) {
	server := remotetest.New(t)
	c := dial(t, remote.Options{Cache: server.Address})
	var blobs []remote.Blob
	for i := range 60 {
		blobs = append(blobs, remote.BlobOf(noise(100_000+i)))
	}
	oktest.Check(t, c.Upload(context.Background(), blobs))
	if n := server.Calls("BatchUpdateBlobs"); n < 6 || n > 8 {
		t.Errorf("6 MB went in %d messages of at most 1 MiB", n)
	}
}

func TestKeysDependOnAllOfAnActionAndOnNothingElse(t *testing.T) {
	base := action(t, input("a/b", "1"), input("a.b", "2"), input("c", "3")).Key
	if got := action(t, input("c", "3"), input("a.b", "2"), input("a/b", "1")).Key; got != base {
		t.Error("the order of the inputs counts")
	}
	for name, other := range map[string]*remote.Action{
		"bytes":      action(t, input("a/b", "1"), input("a.b", "2"), input("c", "4")),
		"a path":     action(t, input("a/c", "1"), input("a.b", "2"), input("c", "3")),
		"a file":     action(t, input("a/b", "1"), input("a.b", "2")),
		"a right":    action(t, input("a/b", "1"), input("a.b", "2"), remote.Input{Path: "c", Program: true, Blob: remote.BlobOf([]byte("3"))}),
		"a sub-tree": action(t, input("a/b/c", "1"), input("a.b", "2"), input("c", "3")),
	} {
		if other.Key == base {
			t.Errorf("%s does not count", name)
		}
	}
	if _, err := client.NewAction(remote.Command{}, []remote.Input{input("a", "1"), input("a", "2")}); err == nil {
		t.Error("one path has two files")
	}
	if _, err := client.NewAction(remote.Command{}, []remote.Input{input("a", "1"), input("a/b", "2")}); err == nil {
		t.Error("a path is a file and a directory")
	}
}

func TestAResultIsKeptAndFound(t *testing.T) {
	server := remotetest.New(t)
	c := dial(t, remote.Options{Cache: server.Address})
	a, out := action(t, input("in", "1")), remote.BlobOf([]byte("made"))
	if _, err := c.Result(context.Background(), a.Key); !errors.Is(err, remote.ErrAbsent) {
		t.Errorf("a result that nobody made: %v", err)
	}
	oktest.Check(t, c.Upload(context.Background(), []remote.Blob{out}))
	oktest.Check(t, c.SetResult(context.Background(), a, &remote.Result{Files: map[string]remote.Digest{"out": out.Digest}}))
	r, err := c.Result(context.Background(), a.Key)
	if err != nil || r.Files["out"] != out.Digest {
		t.Errorf("the result is %v: %v", r, err)
	}
}

func TestAServiceWithAFaultIsReportedAndNeverBelieved(t *testing.T) {
	server := remotetest.New(t)
	o := remote.Options{Cache: server.Address, Quiet: 200 * time.Millisecond}
	c := dial(t, o)
	small, large := remote.BlobOf(noise(100)), remote.BlobOf(noise(1_000_000))
	oktest.Check(t, c.Upload(context.Background(), []remote.Blob{small, large}))
	for name, f := range map[string]remotetest.Faults{"lies": {Lies: true}, "evicts": {Evicts: true}, "hangs": {Hangs: true}, "is dead": {Dies: -1}} {
		server.Break(f)
		if f.Dies < 0 {
			server.Break(remotetest.Faults{Dies: 1})
			_ = c.Fetch(context.Background(), small.Digest, &bytes.Buffer{}, false)
		}
		for _, b := range []remote.Blob{small, large} {
			err := c.Fetch(context.Background(), b.Digest, &bytes.Buffer{}, false)
			if err == nil || errors.Is(err, remote.ErrAbsent) != f.Evicts {
				t.Errorf("a service that %s: %v", name, err)
			}
			if err != nil && strings.Contains(client.Reason(err), "rpc error") {
				t.Errorf("a reason for a program: %s", client.Reason(err))
			}
		}
	}
	for _, f := range []remotetest.Faults{{Full: true}, {ReadOnly: true}} {
		server.Break(f)
		for _, b := range []remote.Blob{remote.BlobOf(noise(101)), remote.BlobOf(noise(1_000_001))} {
			if err := c.Upload(context.Background(), []remote.Blob{b}); err == nil {
				t.Errorf("%+v took %d bytes", f, b.Size)
			}
		}
	}
}

// counting counts what is written.
type counting int64

func (c *counting) Write(p []byte) (int, error) {
	*c += counting(len(p))
	return len(p), nil
}

// A service cannot hold a fetch, however little it sends, nor send more than was asked for,
// compressed or not.
func TestAServiceIsWaitedForAndListenedToWithinLimits(t *testing.T) {
	server := remotetest.New(t)
	server.Break(remotetest.Faults{Zstd: true})
	large := remote.BlobOf(noise(1_000_000))
	oktest.Check(t, dial(t, remote.Options{Cache: server.Address}).Upload(context.Background(), []remote.Blob{large}))
	const forever = time.Hour
	for name, c := range map[string]struct {
		faults remotetest.Faults
		o      remote.Options
		want   string
	}{
		"a byte at a time":               {remotetest.Faults{Drips: true}, remote.Options{Quiet: 50 * time.Millisecond}, "takes too long"},
		"a byte at a time, at most":      {remotetest.Faults{Drips: true}, remote.Options{Quiet: forever, Longest: 50 * time.Millisecond}, "takes too long"},
		"a byte at a time, little asked": {remotetest.Faults{Drips: true}, remote.Options{Quiet: forever, Least: 1, Longest: 50 * time.Millisecond}, "takes too long"},
		"a bomb":                         {remotetest.Faults{Zstd: true, Swells: true}, remote.Options{}, "other bytes"},
		"nothing, without end":           {remotetest.Faults{Zstd: true, Empties: true}, remote.Options{}, ""},
		"more than is fetched":           {remotetest.Faults{}, remote.Options{Most: large.Size - 1}, "at most 999999"},
	} {
		server.Break(c.faults)
		c.o.Cache = server.Address
		var got counting
		err := dial(t, c.o).Fetch(context.Background(), large.Digest, &got, false)
		if err == nil || !strings.Contains(err.Error(), c.want) || int64(got) > large.Size+1 {
			t.Errorf("%s: %d bytes, %v", name, got, err)
		}
		if n := server.Calls("Read"); c.o.Most > 0 && n != 0 {
			t.Errorf("%s: it was asked for %d times", name, n)
		}
	}
}

func TestAResultThatIsOddIsRefused(t *testing.T) {
	server := remotetest.New(t)
	c := dial(t, remote.Options{Cache: server.Address})
	key := action(t).Key
	digest := func(size int64) *reapi.Digest { return &reapi.Digest{Hash: key.Sum.String(), SizeBytes: size} }
	for name, files := range map[string][]*reapi.OutputFile{
		"a size below zero": {{Path: "out", Digest: digest(-1)}},
		"no digest":         {{Path: "out"}},
		"a path twice":      {{Path: "out", Digest: digest(1)}, {Path: "out", Digest: digest(2)}},
		"too many files":    make([]*reapi.OutputFile, 1001),
	} {
		server.Restore(map[string]*reapi.ActionResult{key.Sum.String(): {OutputFiles: files}})
		if r, err := c.Result(context.Background(), key); err == nil || errors.Is(err, remote.ErrAbsent) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

func TestAnAddressWhereNobodyListensIsRefused(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	oktest.Check(t, err)
	address := "grpc://" + free.Addr().String()
	oktest.Check(t, free.Close())
	_, err = client.Dial(context.Background(), remote.Options{Cache: address, Quiet: 2 * time.Second})
	if err == nil || client.Reason(err) != "it does not answer (connection refused)" {
		t.Errorf("the reason is %q", client.Reason(err))
	}
}

func TestAnActionIsCarriedOutThoughTheConnectionIsLost(t *testing.T) {
	server := remotetest.New(t)
	ran := 0
	server.Run = func(c *reapi.Command, inputs map[string][]byte) (map[string][]byte, int) {
		ran++
		return map[string][]byte{"out": []byte(c.Arguments[0] + string(inputs["dir/in"]) + string(inputs["make"]))}, 0
	}
	server.Lost = 2
	c := dial(t, remote.Options{Executor: server.Address})
	a := action(t, input("dir/in", "1"), remote.Input{Path: "make", Program: true, Blob: remote.BlobOf([]byte("x"))})
	for range 2 {
		r := oktest.Value(c.Execute(context.Background(), a))(t)
		var out bytes.Buffer
		if err := c.Fetch(context.Background(), r.Files["out"], &out, false); err != nil || out.String() != "./make1x" {
			t.Errorf("it made %q: %v", out.String(), err)
		}
	}
	if ran != 1 {
		t.Errorf("it ran %d times", ran)
	}
}

func TestWhatAnActionThatFailedSaysIsReturned(t *testing.T) {
	server := remotetest.New(t)
	server.Run = func(*reapi.Command, map[string][]byte) (map[string][]byte, int) { return nil, 3 }
	c := dial(t, remote.Options{Executor: server.Address})
	if r, err := c.Execute(context.Background(), action(t)); err != nil || r.Exit != 3 {
		t.Errorf("the result is %+v: %v", r, err)
	}
}

func TestHeadersAndAHelperLetTheClientIn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the helper is a shell script")
	}
	helper := filepath.Join(t.TempDir(), "helper")
	script := "#!/bin/sh\ntest \"$1\" = get || exit 1\nread line\ncase $line in *https://127.0.0.1*) echo '{\"headers\": {\"Authorization\": [\"Bearer tea\"]}}' ;; *) exit 1 ;; esac\n"
	oktest.Check(t, os.WriteFile(helper, []byte(script), 0o777))
	server := remotetest.New(t)
	dial(t, remote.Options{Cache: server.Address, Headers: map[string]string{"X-Team": "docs"}, Helper: helper})
	if got := fmt.Sprint(server.Header("authorization"), server.Header("x-team")); got != "[Bearer tea] [docs]" {
		t.Errorf("the server got %s", got)
	}
	if _, err := client.Dial(context.Background(), remote.Options{Cache: "grpc://cache.example:80", Headers: map[string]string{"x": "y"}}); err == nil || !strings.Contains(err.Error(), "without encryption") {
		t.Errorf("headers in the clear: %v", err)
	}
}

func TestAddressesAreChecked(t *testing.T) {
	for _, good := range []string{"grpc://localhost:8980", "grpcs://cache.example", "grpc://[::1]:80"} {
		if err := remote.CheckAddress(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", "cache.example:80", "http://cache.example", "grpc://", "grpcs://user:pass@cache.example", "grpcs://cache.example/path", "grpcs://cache.example?x"} {
		if remote.CheckAddress(bad) == nil {
			t.Errorf("%q is an address", bad)
		}
	}
}
