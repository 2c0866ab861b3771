package packaging_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/oktest"
)

// The version is the constant in compiler/version.go. What has to repeat it is listed
// here, so that a release that forgets one fails.
func TestVersionIsTheSameInEveryPlaceThatRepeatsIt(t *testing.T) {
	for file, pattern := range map[string]string{
		"../.gitlab/packgen.gitlab-ci.yml":                   `PACKGEN_VERSION:\n\s+value: (\S+)`,
		"../editors/vscode/package.json":                     `"version": "([^"]+)"`,
		"devcontainer/src/packgen/devcontainer-feature.json": `"version": "([^"]+)"`,
	} {
		text := oktest.Value(os.ReadFile(file))(t)
		found := regexp.MustCompile(pattern).FindSubmatch(text)
		if found == nil || string(found[1]) != compiler.Version {
			t.Errorf("%s says %q, and compiler/version.go says %s", file, found, compiler.Version)
		}
	}
}
