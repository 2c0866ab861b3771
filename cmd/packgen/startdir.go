package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/color"
	"github.com/packgen/packgen/compiler/diag"
)

// prepare finds the repository of the working directory and makes the paths in flags
// relative to it.
func (a *app) prepare(cmd *cobra.Command) error {
	a.verb = strings.TrimPrefix(cmd.CommandPath(), "packgen ")
	a.noteFormer(cmd)
	if err := errors.Join(oneOf("--color", a.color, color.Choices()...), checkTimeout(a.Timeout)); err != nil {
		return err
	}
	start, err := a.startDir()
	if err != nil {
		return fmt.Errorf("find the working directory: %w", err)
	}
	info, err := os.Stat(start)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return diag.Absent("directory", a.Paths.Dir, "name the directory that holds the packs")
	case err != nil:
		return fmt.Errorf("-C %s: %w", a.Paths.Dir, err)
	case !info.IsDir():
		return diag.WithHint(fmt.Errorf("-C %s: not a directory", a.Paths.Dir), "name the directory that holds the packs")
	}
	a.Find(start)
	err = a.settlePaths(cmd)
	a.Allow()
	return err
}

// startDir returns the absolute path of the directory that the command works in.
func (a *app) startDir() (string, error) {
	if a.cwd != "" && !filepath.IsAbs(a.Paths.Dir) {
		return filepath.Join(a.cwd, a.Paths.Dir), nil
	}
	return filepath.Abs(a.Paths.Dir)
}

// notOfStart is the annotation of a flag whose value is not relative to the working
// directory.
const notOfStart = "packgen_not_of_start"

// keepPath leaves the values of a flag as they are typed.
func keepPath(flags *pflag.FlagSet, name string) {
	if err := flags.SetAnnotation(name, notOfStart, nil); err != nil {
		panic(err) // the flag is not defined: a bug
	}
}

// settlePaths makes the values of flags that take a path relative to the repository, as all
// paths are within the program. Their usage names a FILE, DIR or PATH. A value that is the
// next flag was forgotten.
func (a *app) settlePaths(cmd *cobra.Command) error {
	var faults []error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		what, _ := pflag.UnquoteUsage(f)
		isPath := what == "FILE" || what == "DIR" || what == "PATH"
		if isPath || what == "COMMAND" || what == "PROGRAM" || what == "ADDR" || what == "HASH" {
			faults = append(faults, checkFlagValue(f.Name, what, strings.TrimPrefix(f.Value.String(), "[")))
		}
		if _, kept := f.Annotations[notOfStart]; kept || !isPath || f.Name == "directory" {
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values := list.GetSlice()
			for i, value := range values {
				values[i] = a.Paths.Given(value)
			}
			faults = append(faults, list.Replace(values))
			return
		}
		faults = append(faults, f.Value.Set(a.Paths.Given(f.Value.String())))
	})
	return errors.Join(faults...)
}

// checkFlagValue refuses a value that is the next flag: the value itself was forgotten
// (loadout section 18).
func checkFlagValue(name, what, value string) error {
	if !strings.HasPrefix(value, "--") {
		return nil
	}
	return diag.WithHint(fmt.Errorf("--%s was given without a value (the next word %q is a flag, not a value)", name, value),
		"give a value: --%s=%s", name, what)
}
