package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/secret"
)

// letters are put together here, so that no scanner reports this file as one that
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

// A guess is a warning that says how to accept it in the kind of file it is in; a
// provider's token is an error.
func TestAGuessIsAWarningWithTheWayToAcceptIt(t *testing.T) {
	for name, way := range map[string]string{
		"documents/a.md": "<!-- packgen-disable-next-line secret-suspect: why it is not one -->",
		"sources/a.yaml": "packgen-disable-next-line secret-suspect: why it is not one in a comment",
		"sources/a.json": "under rules: in packgen.yaml",
	} {
		found := Scan(name, []byte("token: "+letters+"\n")).Diagnostics
		if len(found) != 1 || found[0].Severity != diag.Warning || !strings.Contains(found[0].Hint, way) || !strings.HasPrefix(found[0].Message, "the text holds a possible secret value, ") {
			t.Errorf("%s: got %+v", name, found)
		}
		scanned := Scan(name, []byte("ghp"+"_"+letters+"abcd\n"))
		if found = scanned.Diagnostics; len(found) != 1 || found[0].Severity != diag.Error || len(scanned.Secrets) != 1 {
			t.Errorf("%s: got %+v", name, found)
		}
	}
}

// A password by its name is an error that says how to accept it where a file has comments.
func TestANamedPasswordIsWithheld(t *testing.T) {
	for name, accepted := range map[string]bool{"documents/a.md": true, "sources/a.yaml": true, "sources/a.json": false} {
		scanned := Scan(name, []byte("The password is: "+letters+"\n"))
		found := scanned.Diagnostics
		if len(found) != 1 || found[0].Severity != diag.Error || len(scanned.Secrets) != 1 || strings.Contains(found[0].Hint, directiveLine) != accepted || strings.Contains(found[0].Hint, "rules:") {
			t.Errorf("%s: got %+v", name, found)
		}
	}
	if scanned := Scan("documents/a.md", []byte("<!-- packgen-disable-next-line secret-suspect: of a comic -->\npassword: "+letters+"\n")); len(scanned.Secrets) > 0 || len(scanned.Suppressed) != 1 {
		t.Errorf("accepted: got %+v", scanned)
	}
}

// Only what is known is withheld.
func TestAGuessIsNotWithheld(t *testing.T) {
	if hits := Scan("documents/a.md", []byte("token: "+letters)).Secrets; len(hits) > 0 {
		t.Errorf("withheld: %+v", hits)
	}
}

// A file may hold any number of guesses, before and after a token.
func TestGuessesHideNoSecret(t *testing.T) {
	many := strings.Repeat("token: "+letters+"\n", 2*maxFindings)
	found := Scan("documents/a.md", []byte(many+"ghp"+"_"+letters+"abcd\n"+many)).Diagnostics
	if n := diag.Count(found, diag.Error); n != 1 || len(found) != 1+maxFindings {
		t.Errorf("%d errors among %d findings", n, len(found))
	}
}
