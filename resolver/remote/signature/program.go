package signature

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/scratch"
)

// programName is the program that signs and verifies.
const programName = "packgen-sign"

// Asker answers requests: the program beside this one, or in tests the same in
// process.
type Asker interface {
	Ask(ctx context.Context, q Request) (*Response, error)
}

// Program runs packgen-sign, which is beside this program or in PATH.
type Program struct {
	Version string // of this program: that of packgen-sign must be the same
	Path    string // "" to look for it
}

// patience is how long the program may take together with the servers it asks.
const patience = 3 * time.Minute

// Ask runs the program once.
func (p Program) Ask(ctx context.Context, q Request) (*Response, error) {
	name := p.Path
	if name == "" {
		var err error
		if name, err = p.find(); err != nil {
			return nil, err
		}
	}
	q.Version = p.Version
	input, err := json.Marshal(q)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", programName, err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name)
	cmd.Stdin = bytes.NewReader(input)
	cmd.WaitDelay = time.Second
	output, problems := &bounded{most: MaxMessage}, &bounded{most: 4 << 10}
	cmd.Stdout, cmd.Stderr = output, problems
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("run %s: %w", name, context.Cause(ctx))
		}
		line, _, _ := strings.Cut(strings.TrimSpace(string(problems.kept)), "\n")
		return nil, fmt.Errorf("run %s: %w: %s", name, err, diag.Printable(line))
	}
	return p.read(name, output.kept)
}

// read decodes an answer.
func (p Program) read(name string, data []byte) (*Response, error) {
	var r Response
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("run %s: its answer cannot be read: %w", name, err)
	}
	if r.Version != p.Version {
		return nil, diag.WithHint(fmt.Errorf("%s is of version %s, and packgen of version %s", name, diag.Printable(r.Version), p.Version),
			"install both from the same release")
	}
	if r.Error != "" {
		err := errors.New(diag.Printable(r.Error))
		if r.Hint != "" {
			return nil, diag.WithHint(err, "%s", diag.Printable(r.Hint))
		}
		return nil, err
	}
	return &r, nil
}

// find looks beside this program, through links, then in PATH.
func (p Program) find() (string, error) {
	var places []string
	if own, err := os.Executable(); err == nil {
		places = append(places, own)
		if real, err := filepath.EvalSymlinks(own); err == nil && real != own {
			places = append(places, real)
		}
	}
	for _, own := range places {
		beside := filepath.Join(filepath.Dir(own), programName+filepath.Ext(own))
		if path, err := scratch.FindProgram(beside); err == nil {
			return path, nil
		}
	}
	if path, err := scratch.FindProgram(programName); err == nil {
		return path, nil
	}
	where := "beside packgen"
	if len(places) > 0 {
		where = "in " + filepath.Dir(places[0])
	}
	return "", diag.WithHint(fmt.Errorf("signatures need the program %s, which is neither %s nor in PATH", programName, where),
		"install a release or package of packgen, which holds it, or run go build in cmd/%s of a checkout of v%s", programName, p.Version)
}

// bounded keeps what is written up to a limit, and drops the rest.
type bounded struct {
	kept []byte
	most int
}

// Write never fails, so that the program ends by itself.
func (b *bounded) Write(data []byte) (int, error) {
	room := max(0, b.most-len(b.kept))
	b.kept = append(b.kept, data[:min(room, len(data))]...)
	return len(data), nil
}
