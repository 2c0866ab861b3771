package publish

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Old stages of killed runs go, and nothing else does.
func TestSweepStagesTakesOldStagesAlone(t *testing.T) {
	dir := t.TempDir()
	const prefix = ".packgen-"
	for name, age := range map[string]time.Duration{".packgen-12": 2 * stageAge, ".packgen-13": 0, ".packgen-init": 2 * stageAge, "packgen-14": 2 * stageAge, ".packgen-": 2 * stageAge} {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Join(full, "pack"), 0o777); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(full, then, then); err != nil {
			t.Fatal(err)
		}
	}
	SweepStages(dir, prefix)
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 4 || list[1].Name() != ".packgen-13" {
		t.Errorf("%v, %v", list, err)
	}
}
