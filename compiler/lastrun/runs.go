package lastrun

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/schema"
)

// RunFile is a run record that has not been read yet.
type RunFile struct {
	Path string
	Name schema.RunName
}

// Runs lists the records of compile runs, newest first, and the stems of all
// files of runs/: those that no new run may have as its id.
func (e *Outputs) Runs() (list []RunFile, stems map[string]bool, err error) {
	stems = map[string]bool{}
	names, err := e.Names(runsDir)
	if err != nil {
		return nil, nil, err
	}
	for _, base := range names {
		stem, ok := strings.CutSuffix(base, ".json")
		if !ok {
			continue
		}
		stems[stem] = true
		if name, err := schema.ParseRunName(stem); err == nil && name.Kind == "compile" {
			list = append(list, RunFile{runsDir + "/" + base, name})
		}
	}
	slices.SortStableFunc(list, func(a, b RunFile) int { return schema.CompareRunNames(b.Name, a.Name) })
	return list, stems, nil
}

// Holds reports a file, not a link, in the place that outputs are written to.
func (e *Outputs) Holds(name string) bool {
	if len(e.roots) == 0 || e.Layered && len(e.roots) == 1 && e.pack.Dir != "" {
		return false // the place is not there yet
	}
	if e.hidden[name] {
		return false
	}
	info, err := e.roots[0].Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

// Ledgers returns the paths of the ledgers of run records, in byte order.
func (e *Outputs) Ledgers() ([]string, error) {
	names, err := e.Names(runsDir)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, base := range names {
		if name := runsDir + "/" + base; schema.RecordOfLedger(name) != "" {
			list = append(list, name)
		}
	}
	return list, nil
}

// Run reads one run record with its ledger. The error wraps fs.ErrNotExist when it is gone; other ones say why it cannot be used.
func (e *Outputs) Run(path string) (*schema.Run, error) {
	data, err := e.Read(path)
	if err != nil {
		return nil, err
	}
	return schema.ReadRun(data, e.Read)
}
