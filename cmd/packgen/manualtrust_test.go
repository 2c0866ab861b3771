package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/signature"
	"github.com/packgen/packgen/resolver/repo"
)

const signaturesPage = "how-to/sign-and-verify.md"

// policyOfPatterns asks for a signature by the patterns.
func policyOfPatterns(patterns ...string) *signature.Policy {
	p := &signature.Policy{}
	for _, ref := range patterns {
		p.Rules = append(p.Rules, signature.Rule{Ref: ref})
	}
	return p
}

// The manual says which references a pattern fits; each example is tried.
func TestManualPatternsOfTrustFitAsItSays(t *testing.T) {
	code := regexp.MustCompile("`([^`]+)`")
	_, table, _ := strings.Cut(manualPage(t, signaturesPage), "| `ref` | Fits | Does not fit |\n| --- | --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	tried := 0
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(row), "|")
		pattern := code.FindStringSubmatch(cells[1])[1]
		if err := signature.CheckPattern(pattern); err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
		for i, want := range []bool{true, false} {
			for _, found := range code.FindAllStringSubmatch(cells[2+i], -1) {
				ref := oktest.Value(remote.ParseRef(found[1]))(t)
				if _, fits := policyOfPatterns(pattern).For(ref.Place()); fits != want {
					t.Errorf("%s fits %s: %v, and the manual says %v", pattern, found[1], fits, want)
				}
				tried++
			}
		}
	}
	if tried < 25 {
		t.Errorf("%d examples were read", tried)
	}
}

// Every example of trust: in the manual is taken, and its patterns fit the place that
// they name, with anything below.
func TestManualExamplesOfTrustFitTheirPlaces(t *testing.T) {
	tried := 0
	for _, page := range manualPages(t) {
		for _, block := range packgentest.Blocks(manualPage(t, page), "yaml") {
			if !strings.Contains(block, "trust:\n  - ref:") {
				continue
			}
			c := repo.DefaultConfig()
			if faults, _ := repo.ReadConfig(nil, &c, "packgen.yaml", []byte(block)); len(faults) > 0 {
				t.Errorf("%s: %v", page, faults)
			}
			for _, e := range c.Trust {
				tried++
				for _, below := range []string{"a", "a/b"} {
					text := strings.Replace(strings.Replace(e.Ref, "/**", "/"+below, 1), "**", below, 1)
					ref := oktest.Value(remote.ParseRef(text))(t)
					if _, fits := policyOfPatterns(e.Ref).For(ref.Place()); !fits || signature.CheckPattern(e.Ref) != nil {
						t.Errorf("%s: %s does not fit %s", page, e.Ref, text)
					}
				}
			}
		}
	}
	if tried < 4 {
		t.Errorf("%d entries were read", tried)
	}
}
