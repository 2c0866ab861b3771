package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// readDoorTasks reads the tasks of a file by set-up, with the lines of the text that each
// needs.
func readDoorTasks(t *testing.T, name string, want int) map[string][]doorTask {
	t.Helper()
	notes, _ := doorNotes(t)
	pages, file := doorPages(t), readDoors(t, "instructions.md")
	tasks, n := map[string][]doorTask{}, 0
	for _, f := range doorRows(t, name) {
		var text string
		switch f[0] {
		case "file":
			_, text, _ = strings.Cut(file, "\n## "+f[1]+"\n")
			text, _, _ = strings.Cut(text, "\n## ")
		case "note":
			text = notes["notes/"+strings.ReplaceAll(f[1], "/", "-")+".md"]
			text = text[strings.LastIndex(text, "---\n")+len("---\n"):]
		case "pack":
			text = pages["packs/platform/documents/"+strings.ReplaceAll(f[1], "/", "-")+".md"]
			_, text, _ = strings.Cut(text, "\n") // the title is not what the task needs
		}
		task := doorTask{prompt: f[2]}
		for line := range strings.SplitSeq(text, "\n") {
			if line != "" {
				task.need = append(task.need, line)
			}
		}
		if len(task.need) == 0 {
			t.Fatalf("the task %q needs %s, which is not there", f[2], f[1])
		}
		tasks[f[0]], n = append(tasks[f[0]], task), n+1
	}
	if n != want {
		t.Fatalf("%s has %d tasks, want %d", name, n, want)
	}
	return tasks
}

// doorNotes makes the store: a list, and a note of each system with each lesson.
func doorNotes(t *testing.T) (files map[string]string, list string) {
	t.Helper()
	files, list = map[string]string{}, "# Memory\n\n"
	rows := doorRows(t, "notes.txt")
	for _, s := range rows {
		for _, l := range rows {
			if s[0] != "system" || l[0] != "lesson" {
				continue
			}
			fill := strings.NewReplacer("{name}", s[1], "{does}", s[2], "{owner}", s[3], "{n}", s[4]).Replace
			name := "notes/" + s[1] + "-" + l[1] + ".md"
			files[name] = fmt.Sprintf("---\nname: %s\ndescription: %s\ntype: %s\n---\n\n%s\n", fill(l[3]), fill(l[4]), l[2], fill(l[5]))
			list += fmt.Sprintf("- [%s](%s) — %s\n", fill(l[3]), name, fill(l[4]))
		}
	}
	files["MEMORY.md"] = list
	return files, list
}

// doorPages makes the pack: a page of each part on each subject.
func doorPages(t *testing.T) map[string]string {
	t.Helper()
	rows := doorRows(t, "pages.txt")
	files, parts := map[string]string{}, ""
	for _, p := range rows {
		if p[0] != "part" {
			continue
		}
		parts += fmt.Sprintf("- %s %s\n", p[2], p[3])
		for _, s := range rows {
			if s[0] != "subject" {
				continue
			}
			fill := strings.NewReplacer("{id}", p[1], "{name}", p[2], "{thing}", p[4], "{n}", p[5], "|", "\n\n").Replace
			files["packs/platform/documents/"+p[1]+"-"+s[1]+".md"] = "# " + fill(s[2]) + "\n\n" + fill(s[3]) + "\n"
		}
	}
	files["packs/platform/KNOWLEDGE.md"] = `---
name: platform
description: Running the platform that takes in measurements of machines, with its settings, limits, errors, upgrades and recovery of every part.
type: custom:platform
profile: document-first
status: ready
trust: official
metadata:
  primaryDocument: documents/gateway-configuration.md
---

# Platform

What the parts do:

` + parts
	return files
}

func readDoors(t *testing.T, name string) string {
	t.Helper()
	return read(t, "testdata/doors", name)
}

// doorRows reads lines of fields that are parted by tabs.
func doorRows(t *testing.T, name string) (rows [][]string) {
	t.Helper()
	for line := range strings.Lines(readDoors(t, name)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Split(line, "\t"))
		}
	}
	return rows
}

// joined puts the files together that keep accepts, in the order of their names.
func joined(files map[string]string, keep func(name string) bool) string {
	var names []string
	for name := range files {
		if keep(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		b.WriteString(files[name] + "\n")
	}
	return b.String()
}

func doorRun(t *testing.T, dir string, args ...string) {
	t.Helper()
	commands(t, map[string]string{"SOURCE_DATE_EPOCH": "1700000000"})(exitDone, dir, args...)
}
