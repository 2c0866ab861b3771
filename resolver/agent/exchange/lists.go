package exchange

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/agent/rules"
	"github.com/packgen/packgen/resolver/agent/rules/vocabulary"
)

const (
	// maxListedTokens is how many tokens of references a skill lists itself. A longer list is
	// parted: an agent reads a skill as a whole.
	maxListedTokens = 1_500
	// maxLists is how many lists there are at most, leastInList how many references one
	// has unless there are fewer.
	maxLists    = 40
	leastInList = 40
	// listWords is how many words tell a list from the others.
	listWords = 16
)

// listName is the file of a list, from 1.
func listName(n int) string { return fmt.Sprintf("contents-%d.md", n) }

// listNames are names that no text of a skill may have.
func listNames() []string {
	names := []string{contents}
	for n := range maxLists {
		names = append(names, listName(n+1))
	}
	return names
}

// listPath finds the path of a list that an export wrote.
var listPath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^references/contents(-[0-9]{1,2})?\.md$`) })

// list is the part of a skill below the guide: its references, or lists of them, each in
// a file, when they are many.
func (s *source) list(pages []*page, guide string, at moved) (part string, lists []File) {
	var b strings.Builder
	for _, p := range pages {
		if !strings.Contains(guide, at[p.path]) {
			b.WriteString(listLine(p, at[p.path], ""))
		}
	}
	if b.Len() == 0 {
		return generatedBegin + "\n" + openAsData + "\n" + generatedEnd + "\n", nil
	}
	head := generatedBegin + "\n## References\n\n" + openAsData + "\n\n"
	if lines := b.String(); token.Estimate(lines) <= maxListedTokens && token.Estimate(guide+head+lines) <= rules.MaxSkillTokens && strings.Count(guide+head+lines, "\n") < rules.MaxSkillLines-10 {
		return head + lines + generatedEnd + "\n", nil
	}
	each := max(leastInList, (len(pages)+maxLists-1)/maxLists)
	var groups [][]*page
	var texts []vocabulary.Text
	for from := 0; from < len(pages); from += each {
		group := pages[from:min(from+each, len(pages))]
		var all strings.Builder
		for _, p := range group {
			all.WriteString(listLine(p, strings.TrimPrefix(at[p.path], references), ""))
		}
		groups, texts = append(groups, group), append(texts, vocabulary.Text{Body: all.String()})
	}
	b.Reset()
	b.WriteString(head + "Lists of the " + fmt.Sprint(len(pages)) + " files of this skill; read the one that fits the task.\n\n")
	for i, words := range vocabulary.Words(texts, listWords) {
		name := listName(i + 1)
		fmt.Fprintf(&b, "- [From %s to %s](%s)", linkText(groups[i][0].title), linkText(groups[i][len(groups[i])-1].title), references+name)
		if len(words) > 0 {
			b.WriteString(": " + strings.Join(words, ", "))
		}
		b.WriteString("\n")
		lists = append(lists, File{Path: references + name, Data: []byte(generatedBegin + "\n# Contents\n\n" + openAsData + "\n\n" + texts[i].Body + generatedEnd + "\n")})
	}
	return b.String() + generatedEnd + "\n", lists
}

// linkText is a title as the text of a link.
func linkText(title string) string { return strings.NewReplacer("[", `\[`, "]", `\]`).Replace(title) }
