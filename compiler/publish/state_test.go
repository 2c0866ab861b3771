package publish

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
)

// Old stages of killed runs go, and nothing else does.
func TestSweepStagesTakesOldStagesAlone(t *testing.T) {
	dir := t.TempDir()
	const prefix = ".packgen-"
	for name, age := range map[string]time.Duration{".packgen-12": 2 * stageAge, ".packgen-13": 0, ".packgen-init": 2 * stageAge, "packgen-14": 2 * stageAge, ".packgen-": 2 * stageAge} {
		full := filepath.Join(dir, name)
		oktest.Check(t, os.MkdirAll(filepath.Join(full, "pack"), 0o777))
		then := time.Now().Add(-age)
		oktest.Check(t, os.Chtimes(full, then, then))
	}
	SweepStages(dir, prefix)
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 4 || list[1].Name() != ".packgen-13" {
		t.Errorf("%v, %v", list, err)
	}
}
