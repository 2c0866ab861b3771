package templates

// Report is the page that says what a memory store's hook loaded, what it never
// did, and what it missed (loadout section 24). It holds ids, keywords, counts
// and single words, never the text of a prompt.
type Report struct {
	Frame
	Events    int
	Skipped   int    // lines of the log that were not events
	From, To  string // dates of the first and the last event, "" without one
	Entries   int    // of the index
	Estimated string // tokens of a task, as the index says
	Observed  string // mean tokens of a load; "" when nothing was loaded
	Above     bool   // the observed mean is far above the estimated one
	Loads     []LoadRow
	MoreLoads int // rows that are not shown; so for the other lists
	Dead      []DeadRow
	MoreDead  int
	DeadSum   string // tokens of all dead entries
	Overlaps  []OverlapRow
	MoreOver  int
	Scores    []ScoreRow
	Misses    int // prompts that nothing matched, where that was noted
	Words     []WordRow
	MoreWords int
}

// LoadRow is an entry that was loaded.
type LoadRow struct {
	ID     string
	Times  int
	Width  int // of its bar, 0 to 100
	Tokens string
	Last   string // a date
}

// DeadRow is an entry that never was.
type DeadRow struct{ ID, Tokens string }

// OverlapRow is a keyword of several entries.
type OverlapRow struct {
	Keyword string
	Entries []string
	More    int
}

// ScoreRow is a range of scores and how many loads had one in it.
type ScoreRow struct {
	Label string
	Count int
	Width int // of its bar, 0 to 100
}

// WordRow is a word of prompts that nothing matched.
type WordRow struct {
	Word    string
	Prompts int
	Entry   string // the entry that may lack it as a keyword; "" when none has it in its texts
}

func (Report) page() string { return "report.html" }
