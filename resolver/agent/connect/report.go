package connect

import (
	"slices"
	"strings"
)

// all is the word for all agents.
const all = "all"

// Names lists the words that name agents.
func Names() []string {
	return append([]string{all}, words(allAgents())...)
}

func words(agents []Agent) (list []string) {
	for _, agent := range agents {
		list = append(list, string(agent))
	}
	return list
}

// Named returns the agents that words name, each once.
func Named(words []string) []Agent {
	if slices.Contains(words, all) {
		return allAgents()
	}
	var list []Agent
	for _, word := range words {
		if !slices.Contains(list, Agent(word)) {
			list = append(list, Agent(word))
		}
	}
	return list
}

// FileReport says what became of one file.
type FileReport struct {
	Path   string   `json:"path"`
	Agents []Agent  `json:"agents"`
	State  string   `json:"state"`
	Backup string   `json:"backup,omitempty"`
	Diff   []string `json:"diff,omitempty"`
	Others []string `json:"other_hooks,omitempty"`
	Gone   []string `json:"other_hooks_gone,omitempty"`
	Next   string   `json:"next,omitempty"` // what the user has to do before the agent runs the hook
}

// For names the agents.
func (r *FileReport) For() string {
	return strings.Join(words(r.Agents), ", ")
}

// Report says what became of each file of a plan; shown makes a path as it is shown.
func Report(list []*Change, dryRun bool, shown func(string) string) []FileReport {
	files := []FileReport{}
	for _, c := range list {
		out := FileReport{Path: shown(c.Path), Agents: c.Agents, State: "unchanged", Diff: c.Diff, Others: c.Others, Gone: c.Gone, Next: c.Blocked.Remedy()}
		switch {
		case !c.Changes():
		case dryRun:
			out.State = "not written (dry run)"
		case c.Deletes:
			out.State = "removed"
		default:
			out.State = "written"
		}
		if c.Backup != "" {
			out.Backup = shown(c.Backup)
		}
		files = append(files, out)
	}
	return files
}
