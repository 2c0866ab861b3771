package faults_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

const (
	writer  = "PACKGEN_TEST_WRITER"
	dirMark = "DIR" // in messages, the directory of a test
)

// write is the program of these tests: it puts a file in place as it should be done,
// and another without a sync.
func write(dir string) error {
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o777); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(sub, "new"))
	if err != nil {
		return err
	}
	_, err = f.WriteString("synced and whole")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(sub, "new"), filepath.Join(dir, "safe")); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "unsafe"), []byte("never synced"), 0o666); err != nil {
		return err
	}
	_, err = os.ReadFile(filepath.Join(dir, "safe"))
	return errors.Join(os.Remove(sub), err)
}

func command(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	if err := Supported(); err != nil {
		t.Skip("SKIPPED:", err)
	}
	self := oktest.Value(os.Executable())(t)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), writer+"="+dir)
	return cmd
}

func TestEveryChangeIsSeen(t *testing.T) {
	dir := t.TempDir()
	report := oktest.Value((&Disk{Dirs: []string{dir}}).Run(command(t, dir)))(t)
	var got []string
	for _, c := range report.Changes {
		got = append(got, strings.TrimSuffix(fmt.Sprint(c.Kind, " ", strings.TrimPrefix(c.Path, dir), " ", strings.TrimPrefix(c.To, dir)), " "))
	}
	want := []string{"mkdir /sub", "create /sub/new", "write /sub/new", "sync /sub/new", "rename /sub/new /safe", "create /unsafe", "write /unsafe", "remove /sub", "remove /sub"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q", got)
	}
}

func TestTheChosenChangeFails(t *testing.T) {
	for _, tt := range []struct {
		fault Fault
		at    int
		want  string // the message of the program; "" is success
		safe  string // of the file that is put in place
		other string
	}{
		{None, 1, "", "synced and whole", "never synced"},
		{Full, 1, "sub: " + syscall.ENOSPC.Error(), "", ""},
		{Full, 3, "new: " + syscall.ENOSPC.Error(), "", ""},
		{Full, 5, "unsafe: " + syscall.ENOSPC.Error(), "synced and whole", "never "},
		{ReadOnly, 4, "safe: " + syscall.EROFS.Error(), "", ""},
		{Broken, 3, "new: " + syscall.EIO.Error(), "", ""},
		{Short, 1, "", "synced and whole", "never synced"},
		{Unsynced, 1, "new: " + syscall.EIO.Error(), "", ""},
		{Unreadable, 1, "open " + dirMark + "/safe: " + syscall.EIO.Error(), "synced and whole", "never synced"},
		{Unreadable, 2, "read " + dirMark + "/safe: " + syscall.EIO.Error(), "synced and whole", "never synced"},
	} {
		t.Run(tt.fault.String(), func(t *testing.T) {
			dir := t.TempDir()
			cmd := command(t, dir)
			var out strings.Builder
			cmd.Stderr = &out
			report, err := (&Disk{Dirs: []string{dir}, Fault: tt.fault, At: tt.at}).Run(cmd)
			if report == nil {
				t.Fatal(err)
			}
			if (err == nil) != (tt.want == "") || !strings.HasSuffix(strings.ReplaceAll(strings.TrimSpace(out.String()), dir, dirMark), tt.want) {
				t.Errorf("the program said %q, %v; want %q", out.String(), err, tt.want)
			}
			if (report.Failed == nil) != (tt.fault == None) {
				t.Errorf("failed: %v", report.Failed)
			}
			for name, want := range map[string]string{"safe": tt.safe, "unsafe": tt.other} {
				if got, _ := os.ReadFile(filepath.Join(dir, name)); string(got) != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		})
	}
}

// What a cut leaves is whole where it was synced before its name was made, and anything
// where it was not.
func TestACutLosesWhatWasNotSynced(t *testing.T) {
	dir := t.TempDir()
	trace := oktest.Value(Record(command(t, dir), dir))(t)
	copyTo := filepath.Join(t.TempDir(), "whole")
	oktest.Check(t, trace.Whole(copyTo))
	if got, want := texts(t, copyTo), texts(t, dir); !maps.Equal(got, want) {
		t.Errorf("the model ends in %v, the program in %v", got, want)
	}
	chance, seen := rand.New(rand.NewPCG(1, 1)), map[string]bool{}
	places := t.TempDir()
	for i := range 1500 {
		at := filepath.Join(places, fmt.Sprint(i))
		oktest.Check(t, trace.Cut(chance, at, i%2 == 0))
		state := texts(t, at)
		if _, early := state["/unsafe"]; early && state["/safe"] == "" {
			seen["unsafe without safe"] = true
		}
		for name, text := range state {
			seen[strings.TrimPrefix(name, "/")+" "+text] = true
		}
	}
	for state, want := range map[string]bool{
		"safe synced and whole": true, "unsafe never synced": true, "unsafe ": true, "unsafe never": true, "sub/new ": true, "sub/new synced and whole": true,
		"safe ": false, "safe synced": false, "unsafe without safe": true,
	} {
		if seen[state] != want {
			t.Errorf("%q is among the states: %t", state, seen[state])
		}
	}
}

// texts reads the files of a directory.
func texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := oktest.Value(load(dir))(t)
	list := map[string]string{}
	for path, f := range files {
		if !f.dir {
			list[strings.TrimPrefix(path, dir)] = string(f.synced)
		}
	}
	return list
}
