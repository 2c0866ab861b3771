package scratch

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// FindProgram returns the absolute path of a program: the name itself where it is one,
// otherwise that of the first program of the name in the directories of PATH that no
// checkout can fill. So a file of a checkout is never started by its name.
func FindProgram(name string) (string, error) {
	if filepath.IsAbs(name) {
		return exec.LookPath(name)
	}
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, `/\`) || filepath.VolumeName(name) != "" {
		return "", fmt.Errorf("%q is neither the name of a program nor an absolute path", name)
	}
	for _, dir := range programDirs() {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// programDirs are the directories of PATH without the working directory and without those
// that depend on it.
func programDirs() []string {
	working, err := os.Stat(".")
	var list []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if info, statErr := os.Stat(dir); err == nil && statErr == nil && os.SameFile(info, working) {
			continue
		}
		list = append(list, dir)
	}
	return list
}

// ProgramPath is the variable PATH for a program that is started: what it starts is not
// found in a checkout either.
func ProgramPath() string {
	return "PATH=" + strings.Join(programDirs(), string(filepath.ListSeparator))
}

// Output runs a program and returns what it prints, up to a number of bytes. A program that
// has no directory gets an empty one, which is removed afterwards: it finds no file of a
// checkout by a relative path.
func Output(cmd *exec.Cmd, most int) ([]byte, error) {
	if cmd.Dir == "" {
		dir, err := NewDir("program")
		if err != nil {
			return nil, err
		}
		defer dir.Remove()
		cmd.Dir = dir.Path
	}
	cmd.Env = append(cmd.Environ(), ProgramPath())
	out := &limited{room: most}
	cmd.Stdout = out
	err := cmd.Run()
	return out.kept, err
}

// limited keeps what is written to it, and refuses what it has no room for.
type limited struct {
	kept []byte
	room int
}

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.room-len(l.kept) {
		return 0, io.ErrShortWrite
	}
	l.kept = append(l.kept, p...)
	return len(p), nil
}
