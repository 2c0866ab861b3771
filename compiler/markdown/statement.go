package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Only a statement can be true or false, and so needs a source. Steps of a procedure,
// orders, questions, commands, names of things and lines that introduce others do not.

// isStatement reports a list item that states something. line is the item as written;
// completes says that the item ends a sentence that a line before it began.
func isStatement(text, line string, completes bool) bool {
	text = strings.TrimRight(text, " \"'”»)*_")
	switch {
	case isQuestion(text), strings.HasSuffix(text, ":"), isCommand(line), isTemplateLink(line), isOrder(text):
		return false
	case completes, hasNumber(text), isSentence(text), isDefinition(text), isValue(text):
		return true
	}
	words := strings.Fields(strings.ToLower(text))
	if len(words) > longestOrder {
		return true
	}
	for i, word := range words {
		if i > 0 && isFinite(strings.Trim(word, ".,;:!()\"'`*_")) {
			return true
		}
	}
	return len(words) > 1 && (isPronoun(words[0]) || hasSubject(text) && hasVerb(words[2:]))
}

// isQuestion reports a text whose first sentence asks something.
func isQuestion(text string) bool {
	if i := strings.IndexByte(text, '?'); i >= 0 {
		return !strings.Contains(text[:i], ". ") && (i+1 == len(text) || text[i+1] == ' ')
	}
	return strings.HasSuffix(text, "？")
}

// isValue reports a single word that is not a name: what a list of values has, such as "steel".
func isValue(text string) bool {
	return text != "" && !strings.ContainsAny(text, " \n") && strings.ToLower(text) == text
}

// hasNumber reports a number among the words, with its unit or without.
func hasNumber(text string) bool {
	for word := range strings.FieldsSeq(text) {
		if word = strings.TrimLeft(word, "(~$€£<>≤≥±+-"); word != "" && word[0] >= '0' && word[0] <= '9' && strings.ToLower(word) == word {
			return true
		}
	}
	return false
}

// isCommand reports an item that is one code span of several words.
func isCommand(line string) bool {
	return strings.HasPrefix(line, "`") && strings.HasSuffix(line, "`") && strings.Count(line, "`") == 2 && strings.Contains(line, " ")
}

// isTemplateLink reports an item that is a tag of a template language, or a link with one.
func isTemplateLink(line string) bool {
	return strings.HasPrefix(line, "{%") && strings.HasSuffix(line, "%}") || strings.HasPrefix(line, "[") && strings.Contains(line, "]({%") && strings.HasSuffix(line, ")")
}

// isSentence reports a text of three words and more that ends as a sentence does, in
// Chinese and Japanese of any length.
func isSentence(text string) bool {
	if strings.HasSuffix(text, "。") || strings.HasSuffix(text, "！") {
		return true
	}
	words := strings.Fields(text)
	return len(words) > 2 && strings.HasSuffix(text, ".") && !strings.HasSuffix(words[0], "ing")
}

// isDefinition reports a text of a name, a sign and what is said of it.
func isDefinition(text string) bool {
	for _, sign := range [...]string{": ", " – ", " — ", " - ", " = ", "："} {
		if name, said, ok := strings.Cut(text, sign); ok && name != "" && said != "" {
			return !isOrder(said)
		}
	}
	return false
}

func isPronoun(word string) bool {
	switch word {
	case "it", "they", "we", "you", "he", "she", "there", "i", "it’s", "it's", "we’re", "we're":
		return true
	}
	return false
}

// hasVerb reports words with an order's verb in the form of a statement.
func hasVerb(words []string) bool {
	for _, word := range words {
		word = strings.Trim(word, ".,;:!()\"'`*_")
		stem, ok := strings.CutSuffix(word, "s")
		if ok && (strings.Contains(orders, " "+stem+" ") || strings.Contains(orders, " "+strings.TrimSuffix(stem, "e")+" ")) {
			return true
		}
	}
	return false
}

// isProcedure reports a numbered list of steps. Where its first item states something
// beyond doubt, it is a list of facts with numbers.
func (w *walker) isProcedure(list *ast.List) bool {
	if !list.IsOrdered() {
		return false
	}
	if item := list.FirstChild(); item != nil {
		if first := item.FirstChild(); first != nil && (first.Kind() == ast.KindParagraph || first.Kind() == ast.KindTextBlock) {
			text := w.plain.text(first)
			words := strings.Fields(strings.ToLower(text))
			return !hasSubject(text) || !states(words) && (len(words) < 3 || !hasVerb(words[2:]))
		}
	}
	return true
}

// hasSubject reports a text that begins with a word that only a subject begins with.
func hasSubject(text string) bool {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	switch first {
	case "the", "a", "an", "it", "its", "this", "these", "those", "they", "there", "we", "our", "each", "every", "all", "no", "he", "she", "his", "her", "their", "some", "most", "many":
		return true
	}
	return false
}

// longestOrder is how many words of a text decide whether it is an order.
const longestOrder = 40

// isOrder reports a text that tells the reader to do something.
func isOrder(text string) bool {
	words := strings.Fields(strings.ToLower(text))
	words = words[:min(len(words), longestOrder)]
	for len(words) > 1 && leads(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	if isCondition(words[0]) {
		for i, word := range words {
			if strings.HasSuffix(word, ",") {
				return isOrder(strings.Join(words[i+1:], " "))
			}
		}
		return false
	}
	first := strings.Trim(words[0], "*_`\"'“„«(,;:")
	if first == "don't" || first == "do" && len(words) > 1 && words[1] == "not" {
		return true
	}
	if !strings.Contains(orders, " "+first+" ") {
		return false
	}
	return first == "ensure" || first == "make" && len(words) > 1 && words[1] == "sure" || !states(words[1:])
}

// leads reports a word that may come before an order.
func leads(word string) bool {
	switch strings.Trim(word, ",:.") {
	case "please", "better", "then", "first", "next", "finally", "now", "always", "never", "only", "just", "also", "again", "optionally", "and", "or", "otherwise", "afterwards", "instead", "proactively", "actively", "consistently", "carefully", "occasionally", "regularly", "step", "1", "2", "3", "4", "5", "6", "7", "8", "9":
		return true
	}
	return false
}

// isCondition reports a word that begins what comes before an order and a comma.
func isCondition(word string) bool {
	switch word {
	case "if", "when", "once", "after", "before", "while", "to", "for", "in", "on", "at", "with", "as", "until", "unless", "from", "where", "whenever", "without", "based", "during", "since", "per", "under", "using", "by":
		return true
	}
	return false
}

// states reports words with the verb of a statement: what follows "that", "if" and the like
// is a clause of its own.
func states(words []string) bool {
	for _, raw := range words {
		word := strings.Trim(raw, ".,;:!()\"'`*_")
		switch word {
		case "that", "you", "your", "we", "they", "which", "who", "what", "where", "when", "if", "until", "unless", "because", "so", "whether", "how", "why", "before", "after", "while", "as", "once", "since", "than", "and", "or":
			return false
		}
		if isFinite(word) {
			return true
		}
		if end := raw[len(raw)-1]; end == '.' || end == ':' || end == ';' || end == '!' || strings.HasPrefix(raw, "(") {
			return false
		}
	}
	return false
}

// isFinite reports a verb that a statement has and an order does not begin with.
func isFinite(word string) bool {
	switch word {
	case "is", "are", "was", "were", "isn't", "aren't", "isn’t", "aren’t", "has", "have", "had", "can", "cannot", "can't", "may", "must", "will", "would", "should", "does", "doesn't", "don’t", "did", "do",
		"means", "holds", "contains", "needs", "takes", "makes", "gives", "says", "shows", "belongs", "runs", "stands", "lies", "costs", "lasts", "begins", "ends", "comes", "goes", "depends", "becomes", "stays", "remains", "returns", "includes":
		return true
	}
	return false
}

// orders are the verbs that instructions begin with.
const orders = " accept acknowledge activate add adjust agree aim align allow announce answer append apply approve archive arrange ask assemble assess assign attach audit avoid back bake be begin" +
	" bind block boil book boot break bring browse build bump buy calculate call cancel capture carry cast catch change charge chat check choose clean clear click clone close collect combine come" +
	" commit compare compile complete compose compute confirm configure connect consider contact continue convert cool copy correct count cover create cut deactivate debug decide declare decrease" +
	" define delegate delete deliver deny deploy describe design detach determine develop diagnose disable discard disconnect discuss dismiss display distribute divide document download drag drain" +
	" draw drill drink drive drop dry dump duplicate edit eject eliminate email empty enable encourage encrypt end ensure enter erase escalate establish estimate evaluate examine execute exit expect" +
	" explain export expose extract fasten fetch file fill filter find finish fix flash flip flush fold follow force forget fork format forward free gather generate get give go grab grant group guess" +
	" handle hang have heat help hide highlight hit hold hook identify ignore implement import improve include increase inform initialize initialise insert inspect install instead interrupt introduce" +
	" investigate invite invoke involve isolate issue join keep kill know label launch lay learn leave let lift limit link list listen load locate lock log login look loop lower mail maintain make" +
	" manage mark match measure merge migrate mind minimize mix modify monitor mount move name navigate note notify obtain offer omit open operate order organize override pack park parse pass paste" +
	" patch pause perform pick pin ping place plan play plug point populate post pour prefer prepare press prevent print prioritize proceed process produce promote prompt propose protect prove provide" +
	" publish pull pump purge push put query quit quote raise reach read rebase reboot rebuild recall receive record recover redeploy redirect reduce refer refill refresh refuse register reinstall" +
	" reject release reload remember remind remove rename renew reopen repair repeat replace reply report request require rerun rescue reserve reset resolve respect respond restart restore restrict" +
	" resume retain retry return reuse revert review revoke rewrite rinse roll rotate round run sample save say scale scan schedule scroll seal search secure see select send separate serve set share" +
	" shift ship shut sign simplify skip sort speak specify spin split spread stage stand start state stay step stick stop store strip submit subscribe substitute subtract suggest summarize supply" +
	" suspend swap switch sync tag take talk tap tar teach tell terminate test think throttle throw tick tidy tie tighten toggle touch trace track train transfer transform treat trigger trim trust try" +
	" tune turn type uncheck undo uninstall unlock unmount unpack unplug unset update upgrade upload use validate verify view visit wait wake walk warm warn wash watch weigh wipe withdraw work wrap write zip descale acquire advise advocate alert allocate ask attend audit authenticate bear cite clarify coordinate communicate conduct consult contribute cultivate default deepen demonstrate designate dedicate" +
	" direct document elevate embrace emphasize empower encourage engage enroll err evangelize expand facilitate familiarize focus foster frame gain guard hand hire honor host imagine inquire internalize iterate keep lead leverage maximize" +
	" meet mentor model negotiate observe onboard own participate partner pay perceive practice preserve present privilege provision pursue reassure recognize recommend recruit reflect refrain reimagine research ride rely rotate seek select shadow" +
	" showcase solicit stay steer strengthen strive structure study supervise support surface sustain tailor target think translate travel understand undertake unblock utilize value vary volunteer weigh welcome wear mute bill abide act adhere augment balance celebrate coach collaborate contextualize decline embed enjoy formalize inspire instruct interact invest" +
	" orient overcommunicate oversee reimburse relax represent revisit shape shorten skim streamline thank troubleshoot wonder "
