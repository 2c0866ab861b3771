package context

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/parallel"
)

// Limits of author-written questions.
const (
	maxQuestions    = 50      // of one document
	maxQuestion     = 500     // bytes of one
	maxAnswersBytes = 8 << 20 // of answers/questions.json and its companions
)

// The files of the answers layer (agent-knowledge section 19.2).
const (
	answersQuestions = "answers/questions.json"
	answersBlocks    = "answers/answer-blocks.json"
	answersTargets   = "answers/citation-targets.json"
)

// questions collects the questions that the pack's author says a document, or
// one section of it ("documents/x.md#section"), answers: the front matter key
// "questions", a list for the whole file or a map from section ids to lists, the key
// "questions" of a split in metadata.loadout, and the answers layer. They only help
// to find text; they are never emitted.
func (p *picker) questions() map[string][]string {
	found := map[string][]string{}
	names := documentsOf(all(p.pool))
	lists := make([]map[string][]string, len(names))
	parallel.Ranges(len(names), func(from, to int) {
		for i := from; i < to; i++ {
			lists[i] = p.pageQuestions(names[i])
		}
	})
	for _, list := range lists {
		for at, questions := range list {
			found[at] = append(found[at], questions...)
		}
	}
	addPackQuestions(found, p.pack, p.sourceMap.Claims)
	return found
}

// PackQuestions returns the questions that a pack states outside of its pages: those
// that metadata.loadout lists for a split, by its id, and those of the answers layer,
// by page or by section ("documents/x.md#section").
func PackQuestions(p *pack.Pack, claims []schema.Claim) map[string][]string {
	found := map[string][]string{}
	addPackQuestions(found, p, claims)
	return found
}

func addPackQuestions(found map[string][]string, p *pack.Pack, claims []schema.Claim) {
	all := frontmatter.NewMap(pack.EntryName, p.Meta.Metadata, nil).Map("loadout")
	for _, key := range all.Keys() {
		if list, ok := all.Map(key.Value).StringOrStrings("questions"); ok {
			found[key.Value] = limited(list)
		}
	}
	answersLayer(found, p, claims)
}

// documentsOf lists the documents of units, each once.
func documentsOf(units []*unit) []string {
	seen := map[string]bool{}
	var names []string
	for _, u := range units {
		if u.document != "" && !seen[u.document] {
			seen[u.document] = true
			names = append(names, u.document)
		}
	}
	return names
}

// pageQuestions reads the key "questions" of one file.
func (s *contents) pageQuestions(name string) map[string][]string {
	if !strings.HasSuffix(name, ".md") {
		return nil
	}
	return PageQuestions(name, s.document(name).front("questions"))
}

// PageQuestions returns the questions that the front matter of a page lists: those for
// all of it by its name, those for a section by name#section.
func PageQuestions(name string, top frontmatter.Map) map[string][]string {
	node := top.Value("questions")
	if node == nil {
		return nil
	}
	if node.Kind == yaml.MappingNode {
		sections := frontmatter.NewMap(name, node, nil)
		found := map[string][]string{}
		for _, key := range sections.Keys() {
			list, _ := sections.StringOrStrings(key.Value)
			found[name+"#"+key.Value] = limited(list)
		}
		return found
	}
	list, _ := top.StringOrStrings("questions")
	return map[string][]string{name: limited(list)}
}

func limited(questions []string) []string {
	questions = slices.DeleteFunc(questions, func(q string) bool { return len(q) > maxQuestion })
	return questions[:min(len(questions), maxQuestions)]
}

// answersLayer adds the questions of answers/questions.json with their variants
// to the sections that their answer blocks rest on: through claims of the source
// map, or through citation targets that name a place in the pack.
func answersLayer(found map[string][]string, p *pack.Pack, claims []schema.Claim) {
	if !p.Has(answersQuestions) {
		return
	}
	var questions []struct {
		Question       string   `json:"question"`
		Variants       []string `json:"variants"`
		AnswerBlockIDs []string `json:"answerBlockIds"`
	}
	var blocks []struct {
		ID        string   `json:"id"`
		ClaimIDs  []string `json:"claimIds"`
		TargetIDs []string `json:"citationTargetIds"`
	}
	var targets []struct {
		ID        string `json:"id"`
		SourceRef string `json:"sourceRef"`
	}
	var wait sync.WaitGroup
	wait.Go(func() { readAnswers(p, answersQuestions, "questions", &questions) })
	wait.Go(func() { readAnswers(p, answersBlocks, "answerBlocks", &blocks) })
	wait.Go(func() { readAnswers(p, answersTargets, "citationTargets", &targets) })
	wait.Wait()

	places := map[string][]string{} // by claim or target id
	for _, c := range claims {
		places[c.ClaimID] = append(places[c.ClaimID], c.Document+"#"+c.SectionID)
	}
	for _, t := range targets {
		places[t.ID] = append(places[t.ID], t.SourceRef)
	}
	byBlock := map[string][]string{} // ids that lead to a place
	for _, b := range blocks {
		for _, id := range slices.Concat(b.ClaimIDs, b.TargetIDs) {
			if places[id] != nil {
				byBlock[b.ID] = append(byBlock[b.ID], id)
			}
		}
	}
	for _, q := range questions {
		if asked := limited(append([]string{q.Question}, q.Variants...)); len(asked) > 0 {
			ask(found, asked, q.AnswerBlockIDs, byBlock, places)
		}
	}
}

// ask adds questions to the places that answer blocks lead to. A place that has enough is
// taken out of the lists, and what leads to none as well: of many questions, blocks and
// places each may lead to all of the next.
func ask(found map[string][]string, asked, answers []string, byBlock, places map[string][]string) {
	blocks, ids, given := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, block := range answers {
		if blocks[block] {
			continue
		}
		blocks[block] = true
		byBlock[block] = slices.DeleteFunc(byBlock[block], func(id string) bool {
			if !ids[id] {
				ids[id] = true
				places[id] = slices.DeleteFunc(places[id], func(place string) bool {
					if !given[place] && len(found[place]) >= maxQuestions {
						return true
					}
					if !given[place] {
						given[place] = true
						found[place] = append(found[place], asked...)
					}
					return false
				})
			}
			return len(places[id]) == 0
		})
	}
}

// readAnswers reads a file of the answers layer: an array, or an object that
// holds it under a key. What cannot be read gives nothing; the layer has checks
// of its own.
func readAnswers(p *pack.Pack, name, key string, into any) {
	f, ok := p.Stat(name)
	if !ok || f.Size > maxAnswersBytes {
		return
	}
	data, err := p.ReadFile(name)
	if err != nil {
		return
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) == nil {
		data = object[key]
	}
	_ = json.Unmarshal(data, into) // see above
}
