package packgentest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestProgramsMayLieInAFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PACKGEN_BIN", dir)
	if _, err := find("packgen"); err == nil {
		t.Error("a program that does not exist is found")
	}
	oktest.Check(t, os.WriteFile(filepath.Join(dir, "packgen"), nil, 0o777))
	if path, err := find("packgen"); err != nil || path != filepath.Join(dir, "packgen") {
		t.Errorf("%s, %v", path, err)
	}
	t.Setenv("PACKGEN_BIN", "bin")
	if _, err := find("packgen"); err == nil {
		t.Error("a path that depends on the package is accepted")
	}
}
