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

// RunAlone reads one run record with its ledger, without the list that it may refer to.
// Errors are those of Run.
func (e *Outputs) RunAlone(path string) (*schema.Run, error) {
	data, err := e.Read(path)
	if err != nil {
		return nil, err
	}
	return schema.ReadRunAlone(data, e.Read)
}

// Lists returns the paths of the lists that run records refer to, in byte order.
func (e *Outputs) Lists() ([]string, error) { return e.runFiles(schema.IsRunListPath) }

// Ledgers returns the paths of the ledgers of run records, in byte order.
func (e *Outputs) Ledgers() ([]string, error) {
	return e.runFiles(func(name string) bool { return schema.RecordOfLedger(name) != "" })
}

// runFiles returns the paths of some of the files of runs/.
func (e *Outputs) runFiles(is func(name string) bool) ([]string, error) {
	names, err := e.Names(runsDir)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, base := range names {
		if name := runsDir + "/" + base; is(name) {
			list = append(list, name)
		}
	}
	return list, nil
}

// Run reads one run record, whole, with its ledger and where it refers to a list. The error wraps
// fs.ErrNotExist when it is gone; other ones say why it cannot be used.
func (e *Outputs) Run(path string) (*schema.Run, error) {
	data, err := e.Read(path)
	if err != nil {
		return nil, err
	}
	return schema.ReadRun(data, e.Read)
}
