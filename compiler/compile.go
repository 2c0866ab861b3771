package compiler

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/store"
)

// Compile reads a pack and writes its compiled views, source map and run record
// (agent-knowledge sections 6 to 9); in a dry run it writes nothing. All outputs
// become visible together, after everything was read; when an error is returned
// or the context ends before, the earlier outputs are untouched.
//
// Faults of the pack are diagnostics of the result, those of gates also of the
// run record. The error is for work that could not be done: a file that cannot
// be read or written, another process that holds the lock (it wraps
// publish.ErrLocked), an ended context, an error of the visitor.
func Compile(ctx context.Context, p *pack.Pack, o Options) (*Result, error) {
	o, err := o.normalise(p)
	if err != nil {
		return nil, err
	}
	c, err := open(ctx, p, o)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if r := c.unchanged(); r != nil {
		return r, nil
	}
	read, err := c.readUnits(ctx)
	if err != nil {
		return nil, err
	}
	joined, err := read.join(ctx)
	if err != nil {
		return nil, err
	}
	judged, err := joined.gate(ctx)
	if err != nil {
		return nil, err
	}
	return judged.publish(ctx)
}

// Program identifies the running program by its content, so that the same program on two
// machines has the same identity: by the id that the Go linker puts into it, and by its
// digest where it has none.
var Program = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	return programAt(name)
})

// idWithin is how far into a program the id of the linker is, in bytes.
const idWithin = 32 << 10

// programAt identifies the program in a file.
func programAt(name string) string {
	f, _, err := regularfile.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, idWithin)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return ""
	}
	head = head[:n]
	if id := linkedID(head); id != "" {
		return id
	}
	sum := sha256.New()
	sum.Write(head)
	if _, err := io.Copy(sum, f); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// linkedID returns the id of the linker from the first bytes of a program: in an ELF file
// it is a note, in others a mark at the beginning of the code.
func linkedID(head []byte) string {
	for at := head; ; {
		i := bytes.Index(at, []byte("\x04\x00\x00\x00Go\x00\x00")) // the type of the note, and its owner
		if i < 0 {
			break
		}
		if i >= 8 && binary.LittleEndian.Uint32(at[i-8:]) == 4 {
			size := int(binary.LittleEndian.Uint32(at[i-4:]))
			if id := at[i+8:]; size > 0 && size <= len(id) {
				return string(id[:size])
			}
		}
		at = at[i+8:]
	}
	_, rest, found := bytes.Cut(head, []byte("\xff Go build ID: \""))
	if id, _, whole := bytes.Cut(rest, []byte("\"\n \xff")); found && whole {
		return string(id)
	}
	return ""
}

// Options steer a compile. The zero value is a full compile that writes into
// the pack.
type Options struct {
	Trigger         string            // run trigger (agent-knowledge section 9); "" is "manual"
	DryRun          bool              // compute everything, write nothing
	Force           bool              // overwrite files that were edited by hand (section 6.8)
	RecordUnchanged bool              // write a run record even when nothing changed (section 6.9 rule 5)
	KeepRuns        int               // how many run records of this tool stay where one is written, that one included; 0 keeps all
	Now             time.Time         // time of the run; zero is the clock. SOURCE_DATE_EPOCH is the caller's to read
	Jobs            int               // files worked on at once; 0 is GOMAXPROCS
	OutDir          string            // where compiled/, indexes/, runs/ are written; "" is the pack itself
	StateDir        string            // locks, what is pending and staging; "" is .packgen below the target
	Wait            time.Duration     // how long to wait for another process that writes there; 0 fails at once
	Opened          []diag.Diagnostic // what opening the pack reported; becomes part of the run
	Policy          policy.Local      // changes the severity of findings, in the result and in the run record
	Visit           func(*Unit) error // sees every unit that is read while its tree is in memory; called from several goroutines
	Contribute      []Contributor     // make something of every unit; they need a store
	Lint            bool              // report what the rules of package lint find, as a check does: its warnings and errors

	// Early sees the result before anything is written, when neither the state nor
	// the paths of the run are known yet. Nil looks at nothing.
	Early func(*Result) error

	// Store remembers the results of units and packs: what it knows is not done
	// again (section 6.9). It is the caller's to close, after the last use of the
	// result. Nil remembers nothing: every file is read.
	Store store.Store
	// Enough reports whether the caller needs no more of a pack in that state than
	// its counts, outputs and findings, see Result.State. Nil needs no more.
	Enough func(state store.Digest) bool
}

// stateName is the directory for locks and staging when the caller names none.
// It starts with a dot, so it is never an input (section 2).
const stateName = ".packgen"

// Triggers returns the reasons that a run may have (agent-knowledge section 6.11).
func Triggers() []string {
	return []string{"ingest", "source-change", "manual", "scheduled", "migration"}
}

// normalise fills in defaults and refuses options that cannot be meant.
func (o Options) normalise(p *pack.Pack) (Options, error) {
	o.Trigger = cmp.Or(o.Trigger, "manual")
	if !slices.Contains(Triggers(), o.Trigger) {
		return o, diag.WithHint(fmt.Errorf("unknown run trigger %q", o.Trigger), "write one of %s", strings.Join(Triggers(), ", "))
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if o.Jobs <= 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	if o.OutDir == "" && p.Dir == "" && !o.DryRun {
		return o, fmt.Errorf("compile pack %q: it is not a directory, and no output directory is given", p.Meta.Name)
	}
	if o.Store == nil && len(o.Contribute) > 0 {
		return o, fmt.Errorf("compile pack %q: what contributors make needs a store", p.Meta.Name)
	}
	if o.Lint {
		o.Contribute = append(slices.Clip(o.Contribute), lintFacts())
	}
	if target := cmp.Or(o.OutDir, p.Dir); o.StateDir == "" && target != "" {
		o.StateDir = filepath.Join(target, stateName)
	}
	return o, nil
}
