package injection

import "github.com/packgen/packgen/compiler/prose"

// maxFirst is the longest word that begins a phrase.
const maxFirst = len("instructions")

// firstWords are those that begin a phrase of the functions below.
func firstWords() []string {
	return []string{
		"ignore", "disregard", "forget", "you", "you're", "act", "system", "assistant", "developer", "do", "don't", "never",
		"without", "curl", "wget",
	}
}

// phrase looks at one word that might begin a phrase.
func (s *scan) phrase(start, end int) {
	n := end - start
	if n < 2 || n > maxFirst || s.book.lengths[(s.text[start]|0x20)-'a']&(1<<n) == 0 {
		return
	}
	var buf [maxFirst]byte
	for i := range n {
		buf[i] = s.text[start+i] | 0x20 // of letters and apostrophes: others are in no phrase
	}
	word, ok := s.book.first[string(buf[:n])]
	if !ok {
		return
	}
	s.wording(word, start, end)
	switch word {
	case "ignore", "disregard", "forget":
		s.override(start, end)
	case "you", "you're":
		s.youAreNow(start, end)
	case "act":
		s.actAs(start, end)
	case "system":
		s.label(word, start, end)
		s.prompt(start, end, "prompt", "prompts")
	case "assistant":
		s.label(word, start, end)
	case "developer":
		s.label(word, start, end)
		s.prompt(start, end, "message", "messages")
	case "do", "don't", "never":
		s.conceal(start, end)
	case "without":
		s.withoutTelling(start, end)
	case "curl", "wget":
		s.fetchAndRun(start, end)
	}
}

// maxPhrase is how many words a phrase may have.
const maxPhrase = 9

// override finds "ignore all previous instructions" and its like.
func (s *scan) override(start, end int) {
	var any, prior bool
	unknown := 0
	object := false // the last word may be what is to be ignored
	at := end
	for range maxPhrase {
		word, next := prose.NextWord(s.text, at)
		if word == "of" && object {
			return // "all existing violations of a rule": the violations, not the rule
		}
		object = false
		switch word {
		case "":
			return
		case "all", "any", "every":
			any = true
		case "previous", "prior", "above", "system", "preceding", "earlier", "foregoing", "existing", "original":
			prior = true
		case "instruction", "instructions", "rule", "rules", "prompt", "prompts", "directive", "directives", "guideline", "guidelines":
			switch {
			case any && !prior && s.infinitive(start):
				return // "to ignore every rule"
			case any && unknown == 0 || prior:
				s.add(kindOverride, start, next, s.denied(start) || s.reported(start))
				return
			case unknown == 0 && s.followedByAbove(next):
				s.add(kindOverride, start, next, true)
				return
			}
			unknown++ // "the prompt rules above"
		case "the", "your", "my", "our", "of", "these", "those", "this", "that", "and", "or", "other", "given", "following", "its", "their":
		default:
			switch word {
			case "part", "parts", "piece", "pieces", "rest", "contents", "content", "text", "set", "sets", "list", "version", "versions", "everything", "anything":
			default:
				object = true
			}
			if unknown++; unknown > 2 || !prior && !any {
				return
			}
		}
		at = next
	}
}

// followedByAbove reports whether "above" or "before" is after a noun.
func (s *scan) followedByAbove(at int) bool {
	word, _ := prose.NextWord(s.text, at)
	return word == "above" || word == "before" || word == "earlier"
}

// infinitive reports whether "to" is before a verb.
func (s *scan) infinitive(start int) bool {
	word, _ := prose.PreviousWord(s.text, start)
	return word == "to"
}

// denied reports whether the word before a verb turns it into its opposite.
func (s *scan) denied(start int) bool {
	switch word, _ := prose.PreviousWord(s.text, start); word {
	case "not", "never", "don't", "cannot", "can't", "won't", "shouldn't", "mustn't", "doesn't", "didn't", "without":
		return true
	}
	return false
}

// maxBack is how many words before a phrase are looked at.
const maxBack = 8

// reported reports whether the sentence quotes somebody who says the phrase to
// somebody else: "a page that tells the model to ignore …". Where "you" is
// addressed it is not a report.
func (s *scan) reported(start int) bool {
	at, found := start, false
	for range maxBack {
		word, before := prose.PreviousWord(s.text, at)
		switch word {
		case "":
			return found
		case "you", "your":
			return false
		case "tells", "tell", "told", "telling", "asks", "asked", "asking", "instructs", "instructed", "instructing",
			"tries", "tried", "trying", "attempts", "attempting", "orders", "ordered", "urges", "persuades", "tricks",
			"says", "said", "saying", "like", "called", "as", "phrase", "phrases", "text", "words", "such":
			found = true
		}
		at = before
	}
	return found
}

// youAreNow finds "you are now the system administrator". What else somebody may
// now be is worth a remark when it names a role: "you are now a pirate".
func (s *scan) youAreNow(start, end int) {
	at := end
	if end-start == len("you") {
		word, next := prose.NextWord(s.text, at)
		if word != "are" {
			return
		}
		at = next
	}
	word, next := prose.NextWord(s.text, at)
	if word != "now" {
		return
	}
	if role := s.role(next); role > 0 {
		s.add(kindPersona, start, role, s.denied(start) || s.reported(start))
		return
	}
	switch word, after := prose.NextWord(s.text, next); word {
	case "a", "an", "my", "called", "named", "acting", "going", "free", "no":
		s.add(kindPersona, start, after, true)
	}
}

// actAs finds "act as the developer". Said of somebody else ("Supervisors act as
// …") it is weak.
func (s *scan) actAs(start, end int) {
	word, next := prose.NextWord(s.text, end)
	if word != "as" {
		return
	}
	role := s.role(next)
	if role == 0 {
		return
	}
	s.add(kindPersona, start, role, !s.imperative(start) || s.denied(start))
}

// imperative reports whether a verb gives an order: it begins its clause, or
// somebody is addressed right before it.
func (s *scan) imperative(start int) bool {
	at := start
	for i := range 4 {
		word, before := prose.PreviousWord(s.text, at)
		switch word {
		case "", "please":
			return i == 0 || word == "please"
		case "now", "then", "always":
			if i == 0 {
				return true
			}
		case "you":
			return true
		}
		at = before
	}
	return false
}

// role returns the end of a role that follows within a few words; 0 when none
// does.
func (s *scan) role(at int) int {
	for range 5 {
		word, next := prose.NextWord(s.text, at)
		switch word {
		case "system", "developer", "admin", "administrator", "root", "superuser", "dan", "jailbroken", "unrestricted", "unfiltered", "uncensored":
			if after, _ := prose.NextWord(s.text, next); after == "folder" || after == "directory" || after == "of" || after == "console" {
				return 0 // "the root folder", "an administrator of the group"
			}
			return next
		case "a", "an", "the", "my", "our", "your", "in", "as", "of", "new", "full", "running", "operating", "acting", "sole", "real", "true":
		default:
			return 0
		}
		at = next
	}
	return 0
}

// prompt finds "system prompt" and "developer message". To name one is not an order;
// to ask for it is.
func (s *scan) prompt(start, end int, singular, plural string) {
	word, next := prose.NextWord(s.text, end)
	if word != singular && word != plural {
		return
	}
	demanded := s.demanded(start)
	if article, _ := prose.PreviousWord(s.text, start); article == "a" || article == "an" {
		demanded = false // any of them, not the one that a model has
	}
	if word == plural && !demanded {
		return
	}
	if demanded {
		s.add(kindPrompt, start, next, false)
	} else {
		s.mention(kindPrompt, start, next)
	}
}

// demanded reports whether a verb shortly before wants to have, show or replace a
// thing, and nobody denies it.
func (s *scan) demanded(start int) bool {
	at := start
	for range 6 {
		word, before := prose.PreviousWord(s.text, at)
		switch word {
		case "":
			return false
		case "reveal", "print", "show", "repeat", "output", "ignore", "disregard", "forget", "override", "replace", "leak",
			"disclose", "expose", "display", "bypass", "recite", "dump", "tell", "give", "send", "paste", "rewrite":
			return !s.denied(before) && !s.reported(before)
		}
		at = before
	}
	return false
}

// conceal finds "do not tell the user".
func (s *scan) conceal(start, end int) {
	at := end
	if first := s.text[start] | 0x20; first == 'd' && end-start == len("do") {
		word, next := prose.NextWord(s.text, at)
		if word != "not" {
			return
		}
		at = next
	}
	verb, next := prose.NextWord(s.text, at)
	switch verb {
	case "tell", "inform", "mention", "reveal", "disclose", "alert", "notify":
	default:
		return
	}
	for range 5 {
		word, after := prose.NextWord(s.text, next)
		switch word {
		case "":
			return
		case "user", "human":
			s.add(kindConceal, start, after, s.reported(start) || s.ofTheMatter(after))
			return
		case "users", "humans":
			s.mention(kindConceal, start, after)
			return
		}
		next = after
	}
}

// withoutTelling finds "without telling the user"; without anybody who must not
// know it is worth a remark.
func (s *scan) withoutTelling(start, end int) {
	word, next := prose.NextWord(s.text, end)
	if word != "telling" && word != "informing" {
		return
	}
	at := next
	for range 3 {
		who, after := prose.NextWord(s.text, at)
		switch who {
		case "user", "users", "human", "operator":
			s.add(kindConceal, start, after, s.reported(start))
			return
		}
		at = after
	}
	if word == "telling" {
		s.mention(kindConceal, start, next)
	}
}

// ofTheMatter reports whether what nobody shall be told is a thing of the page and not
// the page itself: "do not tell the user that the password was wrong".
func (s *scan) ofTheMatter(at int) bool {
	word, next := prose.NextWord(s.text, at)
	if word != "that" && word != "which" && word != "whether" && word != "why" && word != "how" {
		return false
	}
	switch word, _ = prose.NextWord(s.text, next); word {
	case "you", "this", "i", "we", "it":
		return false
	}
	return true
}
