package site

import (
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/site/page"
)

// A filter looks through one page of claims alone: of more pages, the claims that are not
// confirmed have pages of their own.
func TestClaimsOfAStatusHavePagesWhereThereAreManyClaims(t *testing.T) {
	packs := crowd(page.RowsPerPage)
	for i := range 3 {
		packs["crowd"][fmt.Sprintf("wiki/q%d.md", i)] = fmt.Sprintf("# Guess %d\n\n- Perhaps %d. [status: inferred]\n", i, i)
	}
	m := generate(t, Options{}, packs)
	m.crawl()
	m.has("packs/crowd/claims.html", `<a href=claims-inferred.html>3 inferred</a>`)
	m.has("packs/crowd/claims.html", "Filter this page by")
	text := m.text("packs/crowd/claims-inferred.html")
	if n := strings.Count(text, "badge inferred"); n != 3 || strings.Contains(text, "Fact 7") {
		t.Errorf("the page of inferred claims has %d of them:\n%s", n, text)
	}
	for _, want := range []string{"<h1>Claims, inferred</h1>", ": 200 confirmed, 3 inferred.", "<a href=claims.html>All claims</a>"} {
		m.has("packs/crowd/claims-inferred.html", want)
	}
	few := generate(t, Options{}, both())
	for path := range few.files {
		if strings.Contains(path, "/claims-") {
			t.Errorf("%s is made where one page shows all claims", path)
		}
	}
}
