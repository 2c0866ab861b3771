package migrate

import (
	"os"
	"path/filepath"
	"slices"
)

// System is a system that people come from.
type System string

// The systems.
const (
	AILoadout System = "ai-loadout"
	LoadoutOS System = "loadout-os"
	Rhachet   System = "rhachet"
)

// Systems lists the systems by name.
func Systems() []string { return []string{string(AILoadout), string(LoadoutOS), string(Rhachet)} }

// Found is a file or folder of a system.
type Found struct {
	Path    string `json:"path"` // as it was looked for: from the project, or below ~
	What    string `json:"what"`
	Becomes string `json:"becomes"` // what packgen makes of it; the file stays as it is
}

// Command is a command of a system and its name here.
type Command struct {
	Was string `json:"was"`
	Now string `json:"now"`
}

// Plan is what there is and what it becomes.
type Plan struct {
	System   System    `json:"system"`
	Found    []Found   `json:"found"`
	Commands []Command `json:"commands"`
}

// maxFound is how many paths of one kind are listed.
const maxFound = 200

// root is the directory that a place is below.
type root uint8

const (
	ofProject root = iota
	ofHome         // the home directory
	ofClaude       // the directory in which Claude Code keeps what is of a user
)

// place is where a system leaves something: a pattern of [filepath.Glob].
type place struct {
	root          root
	pattern       string
	what, becomes string
}

const (
	indexBecomes = "read as it is, as a layer: packgen layers"
	usageBecomes = "read and appended to as it is: packgen usage"
	storeBecomes = "read as it is: packgen memory check FILE"
	rulesBecomes = "read as they are: packgen rules check"
)

// places are those of a system. The two loadout tools share their files.
func (s System) places() []place {
	if s == Rhachet {
		return []place{
			{ofProject, ".agent/repo=*/role=*", "a role", "booted as it is: packgen boot --role DIR"},
			{ofProject, ".agent/repo=*/role=*/boot.yml", "what a role says", "read as it is: packgen boot --role DIR --report"},
			{ofProject, "rhachet.use.ts", "its configuration", "not needed: name roles with roles: in packgen.yaml"},
			{ofProject, "rhachet.repo.yml", "its configuration", "not needed: name roles with roles: in packgen.yaml"},
		}
	}
	list := []place{
		{ofProject, ".claude/loadout/index.json", "the index of the project", indexBecomes},
		{ofHome, ".ai-loadout/index.json", "the index of the user", indexBecomes},
		{ofProject, ".claude/loadout/usage.jsonl", "a usage log", usageBecomes},
		{ofHome, ".ai-loadout/usage.jsonl", "the usage log", usageBecomes},
		{ofProject, ".claude/rules/index.json", "an index of rule files", rulesBecomes},
	}
	if s == LoadoutOS {
		list = append(list,
			place{ofProject, "memory/MEMORY.md", "a store of memories", storeBecomes},
			place{ofProject, ".claude/memory/MEMORY.md", "a store of memories", storeBecomes},
			place{ofClaude, "projects/*/memory/MEMORY.md", "a store of memories", storeBecomes},
		)
	}
	return list
}

// commands are the commands of a system that have a name here.
func (s System) commands() []Command {
	if s == Rhachet {
		return []Command{
			{"rhachet roles boot --role ROLE", "packgen boot --role DIR"},
			{"rhachet roles boot --subject SUBJECT", "packgen boot --role DIR --subject SUBJECT"},
			{"rhachet roles boot --if-present", "packgen boot --role DIR --if-present"},
			{"rhachet roles cost", "packgen boot --role DIR --report"},
			{"rhachet roles link", "nothing: roles are read where they lie"},
			{"rhachet run --skill SKILL", "nothing: packgen runs no skills, keep rhachet for them"},
		}
	}
	list := []Command{
		{"resolve", "packgen layers"},
		{"explain ID", "packgen explain ID"},
		{"usage LOG", "packgen usage --usage LOG"},
		{"dead", "packgen usage dead"},
		{"overlaps", "packgen usage overlaps"},
		{"budget", "packgen usage budget"},
		{"validate INDEX", "packgen check --index INDEX"},
	}
	if s == LoadoutOS {
		list = append(list,
			Command{"memories index", "packgen memory index"},
			Command{"memories validate", "packgen memory check"},
			Command{"memories stats", "packgen memory stats"},
			Command{"memories health", "packgen memory health"},
			Command{"refresh", "packgen memory publish"},
			Command{"report", "packgen usage report"},
			Command{"rules analyze", "packgen rules analyze"},
			Command{"rules split", "packgen rules split"},
			Command{"rules validate", "packgen rules check"},
			Command{"doctor", "packgen doctor"},
			Command{"hook test", "packgen hook test"},
		)
	}
	for i := range list {
		list[i].Was = string(s) + " " + list[i].Was
	}
	return list
}

// Look finds what a system left in a project, a home directory and that of Claude Code; ""
// for one that is not known. Links are not followed to see what they lead to, and nothing is opened.
func Look(s System, project, home, claude string) *Plan {
	p := &Plan{System: s, Found: []Found{}, Commands: s.commands()}
	for _, at := range s.places() {
		base := [...]string{ofProject: project, ofHome: home, ofClaude: claude}[at.root]
		if base == "" {
			continue
		}
		names, err := filepath.Glob(filepath.Join(escaped(base), filepath.FromSlash(at.pattern)))
		if err != nil {
			continue // the pattern is ours: only a directory that cannot be read
		}
		slices.Sort(names)
		for _, name := range names[:min(len(names), maxFound)] {
			if _, err := os.Lstat(name); err == nil {
				p.Found = append(p.Found, Found{shown(name, project, home, at.root), at.what, at.becomes})
			}
		}
	}
	return p
}

// shown is a path as messages name it: from the project, below ~, or the whole of it.
func shown(name, project, home string, at root) string {
	base, before := project, ""
	if at != ofProject {
		base, before = home, "~/"
	}
	if rel, err := filepath.Rel(base, name); err == nil && base != "" && filepath.IsLocal(rel) {
		return before + filepath.ToSlash(rel)
	}
	return name
}

// escaped is a path that a pattern takes at its word.
func escaped(dir string) string {
	out := make([]byte, 0, len(dir))
	for i := range len(dir) {
		if filepath.Separator != '\\' && (dir[i] == '*' || dir[i] == '?' || dir[i] == '[' || dir[i] == '\\') {
			out = append(out, '\\')
		}
		out = append(out, dir[i])
	}
	return string(out)
}
