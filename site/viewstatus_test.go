package site

import "testing"

func TestViewsOnStaleOrDisputedMaterialSaySo(t *testing.T) {
	const (
		facts = "# Mussels\n\n- They live low. [source: sources/survey.md]\n"
		guide = "---\nname: shore\ndescription: What lives on the shore. Use it for questions about mussels.\ntype: research-wiki\nstatus: "
		rest  = "\nprofile: wiki-first\ngrounding: required\n---\n# Shore\n"
	)
	tests := []struct {
		name, status, page string
		briefing, facts    string // how the notice at the head of each view begins, "" when there is none
	}{
		{"nothing in doubt", "ready", facts, "", ""},
		{"a stale page", "ready", "---\nstatus: stale\n---\n" + facts, "Built on stale material.", "-"},
		{"a disputed page", "ready", "---\nstatus: disputed\n---\n" + facts, "Built on disputed material.", "-"},
		{"one claim among others", "ready", facts + "- They are blue. [source: sources/survey.md] [status: stale]\n", "Built on stale material.", ""},
		{"disputed is graver", "ready", facts + "- A [status: disputed]\n- B [status: stale]\n", "Built on disputed material.", ""},
		{"what is not confirmed otherwise", "ready", facts + "- Perhaps [status: inferred]\n", "", ""},
		{"a stale pack", "stale", facts, "The pack shore is stale.", "The pack shore is stale."},
		{"a disputed pack", "disputed", facts, "The pack shore is disputed.", "The pack shore is disputed."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := generate(t, Options{}, map[string]files{"shore": {
				"KNOWLEDGE.md": guide + tt.status + rest, "wiki/mussels.md": tt.page, "sources/survey.md": "Low.\n",
			}})
			for view, want := range map[string]string{"briefing": tt.briefing, "facts": tt.facts} {
				page := "packs/shore/compiled/" + view + ".html"
				switch want {
				case "-": // nothing is left for such a view
				case "":
					m.hasNot(page, `class="notice`)
				default:
					m.has(page, want)
				}
			}
			row := `<a href=compiled/briefing.html>briefing</a> <span class="badge `
			if tt.briefing == "" || tt.status != "ready" {
				m.hasNot("packs/shore/index.html", row)
			} else {
				m.has("packs/shore/index.html", row)
			}
		})
	}
}

// A split says it wherever it is listed: in the pack's list and in the texts for
// agents. So does the list of boundaries when a contradiction is open, also one
// that is reported in prose.
func TestSplitsOnStaleOrDisputedMaterialSaySo(t *testing.T) {
	const guide = "---\nname: shore\ndescription: What lives on the shore. Use it for questions about mussels.\ntype: research-wiki\nstatus: ready\nprofile: wiki-first\ngrounding: required\n---\n# Shore\n"
	m := generate(t, Options{}, map[string]files{"shore": {
		"KNOWLEDGE.md":                guide,
		"wiki/mussels.md":             "# Mussels\n\n- They live low. [source: sources/survey.md] [status: stale]\n",
		"wiki/stars.md":               "---\nstatus: disputed\n---\n# Stars\n\nThey eat mussels.\n",
		"wiki/crabs.md":               "# Crabs\n\nThey walk.\n",
		"wiki/contradictions/band.md": "# Band\n\nTwo surveys disagree.\n",
		"sources/survey.md":           "Low.\n",
	}})
	for _, line := range []string{
		"[Mussels](compiled/splits/wiki/mussels.md): 18 tokens, built on stale material\n",
		"[Stars](compiled/splits/wiki/stars.md): 7 tokens, built on disputed material\n",
		"[Crabs](compiled/splits/wiki/crabs.md): 5 tokens\n",
		"[boundaries](compiled/boundaries.md): view, 17 tokens, built on disputed material\n",
	} {
		m.has("packs/shore/llms.txt", line)
	}
	for _, name := range []string{"llms-full.txt"} {
		m.has(name, "<!-- compiled/splits/wiki/mussels.md -->\n<!-- warning: built on stale material -->\n# Mussels")
		m.has(name, "<!-- compiled/splits/wiki/stars.md -->\n<!-- warning: built on disputed material -->\n# Stars")
		m.has(name, "<!-- compiled/splits/wiki/crabs.md -->\n# Crabs")
	}
	const page = "packs/shore/index.html"
	m.has(page, `>Mussels</a> <span class="badge stale">`)
	m.has(page, `>Stars</a> <span class="badge disputed">`)
	m.has(page, `>Crabs</a><td`)
	m.has(page, `<a href=compiled/boundaries.html>boundaries</a> <span class="badge disputed">`)
	m.has("packs/shore/compiled/boundaries.html", "Built on disputed material.")
}
