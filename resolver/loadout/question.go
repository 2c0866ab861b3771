package loadout

import (
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/stem"
)

// questionEnd ends a pattern that is a question. The blank makes the whole pattern one piece
// (loadout section 6.2) and not a word, so that it hits no task but the question, and none
// at all for readers that know nothing of questions.
const questionEnd = " ?"

// maxQuestion is the size in bytes from which a text is not a question.
const maxQuestion = 512

// QuestionPattern returns the pattern of a question that an entry declares: its words,
// folded, with blanks between them, and questionEnd; empty when the text has no word or is
// too long. A task that is the question, word for word, has the same one, and so the entry comes first:
// before all that only share words with the task, whatever the dialect.
func QuestionPattern(text string) string { return string(appendQuestion(nil, text)) }

// appendQuestion appends to b, which is empty, the pattern of a question.
func appendQuestion(b []byte, text string) []byte {
	if len(text) > maxQuestion {
		return b
	}
	apart := false
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch stem.ClassOf(r) {
		case stem.Dropped:
		case stem.Separator:
			apart = true
		default:
			if apart && len(b) > 0 {
				b = append(b, ' ')
			}
			apart = false
			b = stem.AppendFolded(b, r)
		}
	}
	if len(b) == 0 {
		return b
	}
	return appendText(b, questionEnd)
}

// isQuestion reports whether a pattern, or a word of a task, is a whole question.
func isQuestion(text string) bool {
	n := len(text) - len(questionEnd)
	return n > 0 && text[n:] == questionEnd
}
