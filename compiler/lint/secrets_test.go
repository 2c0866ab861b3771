package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/secret"
)

// letters are put together here, so that no scanner takes this file for one that
// leaks.
var letters = "q7Zk2mXw9Rt4Lp8Vb3Nc" + "6Hd1Jf5Gs0Ty"

func TestSecretFindingsShowFourCharacters(t *testing.T) {
	text := "a\nthe token: " + letters + " and ghp" + "_" + letters + "abcd end"
	found := SecretFindings("a.md", []byte(text), secret.Find([]byte(text)))
	if len(found) != 2 {
		t.Fatalf("%d findings", len(found))
	}
	for _, d := range found {
		shown := fmt.Sprintf("%+v", d)
		if strings.Contains(shown, letters[:5]) || strings.Contains(shown, "ghp_q") || d.Line != 2 {
			t.Errorf("finding is %s", shown)
		}
	}
}
