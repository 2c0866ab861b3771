package faults_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// connected is a project that several agents use, with settings of its own.
func connected(t *testing.T, dir string) {
	t.Helper()
	for name, text := range map[string]string{
		"packs/p/KNOWLEDGE.md": packgentest.Entry, "packs/p/documents/d.md": "# D\n\nText.\n",
		"AGENTS.md": "# Ours\n\nBe kind.\n", ".mcp.json": "{\n  \"mcpServers\": {\"other\": {\"command\": \"other\"}}\n}\n",
		".claude/settings.json": "{\n  \"env\": {\"A\": \"1\"}\n}\n", ".cursor/mcp.json": "{}\n", ".vscode/mcp.json": "{\"servers\": {}}\n",
	} {
		packgentest.WriteText(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
}

// A connect that is killed at any moment leaves every file as it was or as it is to be,
// with its backup, and the next one leaves what one leaves that nobody disturbed.
func TestFaultAKilledConnectLeavesWholeFiles(t *testing.T) {
	t.Parallel()
	count := kills(t, "connect", 10)
	c := newCrasher(t, "connect")
	c.Rand = rand.New(rand.NewPCG(26, 7))
	c.args = []string{"all", "--claude-md"}
	c.begun = func(dir string) bool {
		for _, pattern := range []string{"*.bak", ".*.packgen", ".*/.*.packgen", ".*/*.bak"} {
			if list, _ := filepath.Glob(filepath.Join(dir, pattern)); len(list) > 0 {
				return true
			}
		}
		return false
	}
	base, fresh := t.TempDir(), t.TempDir()
	connected(t, base)
	connected(t, fresh)
	before := c.tree(base)
	usual := c.run(fresh, 1)
	after := c.tree(fresh)
	if len(after) <= len(before) {
		t.Fatalf("connect leaves %d files", len(after))
	}
	killed := 0
	for tries := 0; killed < count.Rounds() && tries < 8*count.Rounds() && !t.Failed(); tries++ {
		dir := copyRepo(t, base)
		if c.kill(dir, 1, usual) {
			killed++
			count.Done(1)
			got := c.tree(dir)
			for name, text := range got {
				if text != before[name] && text != after[name] && !strings.HasSuffix(name, ".packgen") {
					count.Wrong("after %d kills %s is neither as before nor as after:\n%s", killed, name, text)
				}
			}
			for name := range before {
				if _, ok := got[name]; !ok {
					count.Wrong("after %d kills %s is lost", killed, name)
				}
			}
			age(t, dir)
			c.run(dir, 1)
			if got := c.tree(dir); !maps.Equal(got, after) {
				count.Wrong("after %d kills the next connect leaves %d files, of which %d are right", killed, len(got), equalFiles(got, after))
			}
		}
		oktest.Check(t, os.RemoveAll(dir))
	}
	if killed < count.Rounds() {
		t.Errorf("%d runs were killed in time", killed)
	}
}

// age makes what killed writers left look as old as it is when somebody comes back.
func age(t *testing.T, dir string) {
	t.Helper()
	then := time.Now().Add(-2 * time.Hour)
	for _, pattern := range []string{".*.packgen", ".*/.*.packgen", "*/.packgen-*"} {
		list, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, name := range list {
			oktest.Check(t, os.Chtimes(name, then, then))
		}
	}
}

// A serve that is killed while it starts, or while it builds what was edited, leaves the
// packs whole, and the next compile leaves what one leaves that nobody disturbed.
func TestFaultAKilledServeLeavesWholePacks(t *testing.T) {
	t.Parallel()
	count := kills(t, "serve", 8)
	c := newCrasher(t, "compile")
	c.Rand, c.pack = rand.New(rand.NewPCG(27, 7)), editedPack()
	base := filepath.Join(t.TempDir(), "base")
	c.repo(base, 0)
	c.run(base, 0)
	before := c.tree(base)
	fresh := copyRepo(t, base)
	c.repo(fresh, 1)
	usual := c.run(fresh, 1)
	after := c.tree(fresh)
	s := *c
	s.verb, s.args = "serve", []string{"--port", "0", "--json"}
	// An edit is there at once, as editors save: a build may see what is half written, and
	// records it.
	beside := filepath.Join(t.TempDir(), "b.md")
	edit := func(dir string) {
		packgentest.WriteText(t, beside, c.pack[1]["wiki/b.md"])
		oktest.Check(t, os.Rename(beside, filepath.Join(dir, "packs/p/wiki/b.md")))
	}
	for range count.Rounds() {
		dir := copyRepo(t, base)
		early := c.IntN(2) == 0
		if early {
			edit(dir)
		}
		cmd, out := s.prepare(dir, 1)
		cmd.Stdout = nil
		events := oktest.Value(cmd.StdoutPipe())(t)
		oktest.Check(t, cmd.Start())
		if !early {
			lines := bufio.NewScanner(events)
			for lines.Scan() && !strings.Contains(lines.Text(), `"ready"`) {
			}
			edit(dir)
		}
		for until := time.Now().Add(2 * usual); c.IntN(2) == 0 && time.Now().Before(until) && !staging(dir); {
			time.Sleep(50 * time.Microsecond)
		}
		time.Sleep(time.Duration(c.Float64() * float64(usual)))
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
		}
		if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("serve ended by itself: %v\n%s", err, out)
		}
		count.Done(1)
		for name, text := range c.tree(dir) {
			if text != before[name] && text != after[name] {
				count.Wrong("%s is neither as before nor as after the edit:\n%.300s", name, text)
			}
		}
		c.run(dir, 1)
		if got := c.tree(dir); !maps.Equal(got, after) {
			count.Wrong("the next compile leaves %d files, of which %d are right", len(got), equalFiles(got, after))
		}
		if err := os.RemoveAll(dir); err != nil || t.Failed() {
			t.Fatal(err)
		}
	}
}

// A push that is killed at any moment leaves no tag or one whose parts are all there, and
// the next one leaves what one leaves that nobody disturbed.
func TestFaultAKilledPushLeavesNoHalfPack(t *testing.T) {
	t.Parallel()
	count := kills(t, "push", 10)
	c := newCrasher(t, "push")
	temp := t.TempDir()
	c.env = []string{"TMPDIR=" + temp}
	source := packgentest.Repository(t)
	build := newCrasher(t, "build")
	build.run(source, 1)
	before := c.tree(source)
	push := func(server *fetchtest.Registry) time.Duration {
		c.args = []string{"oci://" + server.Host() + "/acme/p:1.0", "--tag", "latest"}
		return c.run(source, 1)
	}
	whole := fetchtest.NewRegistry(t)
	usual := push(whole)
	want := whole.Manifest("acme/p", "1.0")
	check := func(server *fetchtest.Registry) error {
		for _, tag := range []string{"1.0", "latest"} {
			m := server.Manifest("acme/p", tag)
			if m == nil {
				continue
			}
			if string(m) != string(want) {
				return fmt.Errorf("%s is %s", tag, m)
			}
			if missing := missingBlobs(t, server, "acme/p", m); len(missing) > 0 {
				return fmt.Errorf("%s wants %v, which are not there", tag, missing)
			}
		}
		return nil
	}
	killed := 0
	for tries := 0; killed < count.Rounds() && tries < 8*count.Rounds(); tries++ {
		server, after := fetchtest.NewRegistry(t), c.IntN(9)
		c.args = []string{"oci://" + server.Host() + "/acme/p:1.0", "--tag", "latest"}
		c.begun = func(string) bool { return len(server.Requests()) > after }
		if c.kill(source, 1, usual) {
			killed++
			count.Done(1)
		}
		if err := check(server); err != nil {
			count.Wrong("%v", err)
		}
		push(server)
		if err := check(server); err != nil || server.Manifest("acme/p", "1.0") == nil || server.Manifest("acme/p", "latest") == nil {
			count.Wrong("after the next push: %v", err)
		}
		server.HTTP.Close()
		if t.Failed() {
			return
		}
	}
	if killed < count.Rounds() {
		t.Errorf("%d runs were killed in time", killed)
	}
	old := time.Now().Add(-2 * time.Hour)
	for left := range c.tree(temp) {
		for name := left; name != "/"; name = filepath.Dir(name) {
			oktest.Check(t, os.Chtimes(filepath.Join(temp, name), old, old))
		}
	}
	push(whole)
	if left := c.tree(temp); len(left) > 0 {
		count.Wrong("the next push leaves %v of those that were killed", slices.Collect(maps.Keys(left)))
	}
	if got := c.tree(source); !maps.Equal(got, before) {
		count.Wrong("the repository holds %d files, of which %d are as before", len(got), equalFiles(got, before))
	}
}

// missingBlobs are the parts of a manifest that a registry lacks, or has with other bytes.
func missingBlobs(t *testing.T, server *fetchtest.Registry, name string, manifest []byte) (list []string) {
	t.Helper()
	type part struct{ Digest string }
	var m struct {
		Config part
		Layers []part
	}
	oktest.Check(t, json.Unmarshal(manifest, &m))
	for _, p := range append(m.Layers, m.Config) {
		answer := oktest.Value(server.HTTP.Client().Get(server.HTTP.URL + "/v2/" + name + "/blobs/" + p.Digest))(t)
		data := oktest.Value(io.ReadAll(answer.Body))(t)
		answer.Body.Close()
		if fmt.Sprintf("sha256:%x", sha256.Sum256(data)) != p.Digest {
			list = append(list, p.Digest)
		}
	}
	return list
}
