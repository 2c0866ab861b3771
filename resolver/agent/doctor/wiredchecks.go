package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/resolver/agent/connect"
	"github.com/packgen/packgen/resolver/agent/hook"
)

// wired is a hook of ours in a settings file.
type wired struct{ command, settings string }

// settingsFiles are the files that an agent reads hooks from: those of the user and of
// the project, of which it runs all.
func (p *patient) settingsFiles() []string {
	list := []string{p.asked.Settings}
	for _, name := range [...]string{".claude/settings.json", ".claude/settings.local.json"} {
		if project := p.ws.Paths.Abs(name); project != p.asked.Settings {
			list = append(list, project)
		}
	}
	return list
}

// wired lists the hooks of ours. The error of the user's settings counts, unless those of
// the project have one.
func (p *patient) wired() (list []wired, err error) {
	for i, name := range p.settingsFiles() {
		text, fault := atomicfile.Read(name, hook.MaxSettings)
		var commands []string
		if fault == nil {
			commands, fault = hook.Claude.Commands(text)
		}
		if fault != nil && (i == 0 || !errors.Is(fault, fs.ErrNotExist)) {
			err = fault
		}
		for _, c := range commands {
			list = append(list, wired{c, name})
		}
	}
	if len(list) > 0 && errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return list, err
}

// otherHook is the hook of another agent than Claude, in the project or of the user, one that
// the agent runs before one that it does not run; nil when none has one.
func (p *patient) otherHook() (found *connect.File) {
	for _, at := range p.agentFiles() {
		for _, f := range at.Connected() {
			if f.Hook && f.Agent != connect.Claude && (found == nil || found.Blocked != 0 && f.Blocked == 0) {
				found = &f
			}
		}
	}
	return found
}

// isWired reports whether the hook of some agent is installed.
func (p *patient) isWired() bool {
	list, _ := p.wired()
	return len(list) > 0 || p.otherHook() != nil
}

// installHint is how the hook is installed here: for the project's packs with what else an
// agent needs, otherwise for the user.
func (p *patient) installHint() string {
	if p.packs > 0 {
		return "run packgen connect claude, or packgen hook install for the hook alone"
	}
	return installHint
}

func (p *patient) hookWired() Check {
	const id = "hook-wired"
	list, err := p.wired()
	for i, name := range p.settingsFiles() {
		if others := othersIn(name); len(others) > 0 {
			user := " --user"
			if i > 0 {
				user = ""
			}
			return warned(id, "run packgen connect claude"+user+" --replace-hooks, which takes it out and wires packgen's", "the hook of another system runs: %s", others[0])
		}
	}
	if len(list) == 0 && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		if f := p.otherHook(); f != nil && f.Blocked != 0 {
			return warned(id, f.Blocked.Remedy(), "the hook is wired for %s and does not run: %s", f.Agent, f.Blocked.Why())
		} else if f != nil {
			return passed(id, "the hook is wired for %s: %s", f.Agent, f.Program)
		}
	}
	if name := p.disabled(); name != "" && len(list) > 0 {
		return failed(id, "take disableAllHooks out of "+p.ws.Paths.Rel(name), "no hook runs: %s has disableAllHooks", p.ws.Paths.Rel(name))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return warned(id, p.installHint(), "no settings at %s", p.asked.Settings)
	case err != nil:
		return warned(id, "correct the file: JSON has no comments", "settings cannot be read: %v", err)
	case len(list) == 0:
		return failed(id, p.installHint(), "the hook is not in the settings: %s", p.asked.Settings)
	case len(list) > 1 && list[0].settings != list[1].settings:
		return warned(id, "run packgen hook uninstall, which takes it out for the user, or packgen connect claude --remove", "the hook is wired in %s and in %s, and both answer each prompt", p.ws.Paths.Rel(list[0].settings), p.ws.Paths.Rel(list[1].settings))
	case len(list) > 1:
		return warned(id, "run packgen hook uninstall, then packgen hook install", "the hook is wired %d times", len(list))
	}
	if program := hook.Program(list[0].command); isMissing(program) {
		return failed(id, "put packgen into a directory of PATH, or install the hook again", "the hook that %s names cannot run: there is no program %s", p.ws.Paths.Rel(list[0].settings), program)
	}
	return passed(id, "the hook is wired: %s", list[0].command)
}

// disabled is the settings file that turns all hooks off; "" when none does.
func (p *patient) disabled() string {
	for _, name := range p.settingsFiles() {
		if text, err := atomicfile.Read(name, hook.MaxSettings); err == nil && hook.Claude.Disabled(text) {
			return name
		}
	}
	return ""
}

// othersIn lists the hooks of the systems that packgen replaces.
func othersIn(settings string) []string {
	text, _ := atomicfile.Read(settings, hook.MaxSettings) // what cannot be read has none
	list, _ := hook.Others(text)
	return list
}

// noMemories reports that nobody asks for memories here: no store is named or published.
func (p *patient) noMemories() bool {
	_, err := os.Stat(p.storeFile)
	return !p.asked.Named && errors.Is(p.indexErr, fs.ErrNotExist) && errors.Is(err, fs.ErrNotExist)
}

// hookProgram is the program that runs on a prompt: the small one when it lies beside this
// one.
func hookProgram(self string) (program string, args []string) {
	beside := filepath.Join(filepath.Dir(self), hook.ProgramName+filepath.Ext(self))
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
		return beside, nil
	}
	return self, []string{"hook"}
}
