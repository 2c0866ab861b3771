package templates

// Diff is the page that says how routing changed from one build to another. Its lists
// name the first of what they are about and count the rest.
type Diff struct {
	Frame
	Before, After, Dialect string
	Came, Went, Altered    int // entries
	Tokens                 int // of all entries, after
	TokensMore             string
	Asked, Moved           int // tasks that were tried, and that select something else
	Tasks                  []DiffTask
	Changed, Gained, Lost  []DiffEntry

	MoreTasks, MoreChanged, MoreGained, MoreLost int
}

// DiffTask is a task that selects something else. Its lists hold ids.
type DiffTask struct {
	Task                string
	Gained, Lost, Moved []string
	More                int // changes that are not named
	Tokens              int
	TokensMore          string
}

// DiffEntry is an entry that came, went or changed, with its keywords or what is
// different.
type DiffEntry struct{ ID, Text, Tokens string }

func (Diff) page() string { return "diff.html" }
