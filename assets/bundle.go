package assets

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// source is a tree of files that entry points and imports are read from.
type source struct {
	name  string // esbuild's namespace, shown in messages
	files fs.FS
	other bool // the files are not packgen's own
}

// kind is how a script is loaded, with the constants that it is given.
type kind interface {
	how() (format api.Format, define map[string]string)
}

// classic scripts run when a page is opened from a folder, too: those of every page.
type classic map[string]string

// module scripts are found by import.meta.url or loaded when they are used.
type module map[string]string

func (k classic) how() (api.Format, map[string]string) { return api.FormatIIFE, k }
func (k module) how() (api.Format, map[string]string)  { return api.FormatESModule, k }

const tsconfig = `{"compilerOptions":{"strict":true}}`

// bundle runs esbuild on one entry point and returns its files with paths below
// the site root.
func bundle(s source, entry string, k kind) ([]File, error) {
	format, define := k.how()
	result := api.Build(api.BuildOptions{
		EntryPoints:       []string{entry},
		Bundle:            true,
		Write:             false,
		Outdir:            dir,
		EntryNames:        "[name]-[hash]",
		AssetNames:        "[name]-[hash]",
		Format:            format,
		Target:            api.ES2022,
		Charset:           api.CharsetUTF8,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		LegalComments:     api.LegalCommentsNone,
		Define:            define,
		TsconfigRaw:       tsconfig,
		LogLevel:          api.LogLevelSilent,
		Plugins:           []api.Plugin{s.plugin()},
	})
	if err := faults(result.Errors, result.Warnings); err != nil {
		return nil, err
	}
	files := make([]File, 0, len(result.OutputFiles))
	for _, f := range result.OutputFiles {
		files = append(files, File{Path: dir + "/" + path.Base(strings.ReplaceAll(f.Path, `\`, "/")), Data: f.Contents})
	}
	return files, nil
}

// plugin lets esbuild read from the source's file system instead of the disk.
// Only relative imports are followed: a package from elsewhere is refused.
func (s source) plugin() api.Plugin {
	return api.Plugin{
		Name: s.name,
		Setup: func(build api.PluginBuild) {
			build.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
				return s.resolve(args)
			})
			build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: s.name}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
				return s.load(args.Path)
			})
			build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "file"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
				return api.OnLoadResult{}, fmt.Errorf("%w, and the disk is not read", errComputed)
			})
		},
	}
}

func (s source) resolve(args api.OnResolveArgs) (api.OnResolveResult, error) {
	name := path.Clean(args.Path)
	if args.Kind != api.ResolveEntryPoint {
		if !strings.HasPrefix(args.Path, ".") {
			return api.OnResolveResult{}, fmt.Errorf("only relative imports can be bundled, not %q", args.Path)
		}
		name = path.Join(path.Dir(args.Importer), args.Path)
	}
	for _, name := range []string{name, name + ".ts"} {
		switch _, err := fs.Stat(s.files, name); {
		case err == nil:
			return api.OnResolveResult{Path: name, Namespace: s.name}, nil
		case !errors.Is(err, fs.ErrNotExist):
			return api.OnResolveResult{}, err
		}
	}
	return api.OnResolveResult{}, fmt.Errorf("no file %q", name)
}

func (s source) load(name string) (api.OnLoadResult, error) {
	data, err := fs.ReadFile(s.files, name)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	text := string(data)
	loader := api.LoaderFile
	switch path.Ext(name) {
	case ".css":
		loader = api.LoaderCSS
	case ".ts":
		loader = api.LoaderTS
	case ".js":
		loader = api.LoaderJS
	}
	if s.other && (loader == api.LoaderTS || loader == api.LoaderJS) {
		if err := checkImports(text, loader); err != nil {
			return api.OnLoadResult{}, err
		}
	}
	return api.OnLoadResult{Contents: &text, Loader: loader}, nil
}

// errComputed says that a script puts together what it imports. Of such an import esbuild takes
// every file on the disk that it could name, and asks no plugin.
var errComputed = errors.New("an import names its file in one text or by a variable")

// importPatterns find an import with a bracket, and what begins it when it names its file.
var importPatterns = sync.OnceValues(func() (imports, whole *regexp.Regexp) {
	imports = regexp.MustCompile(`(?:^|[^\w$.]|\.\.\.)(?:import(?:\.defer|\.source)?|require)(?:\?\.)?\(`)
	whole = regexp.MustCompile(`^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|` + "`(?:[^`$\\\\]|\\\\.)*`" + `|[\w$.]+)[,)]`)
	return imports, whole
})

// checkImports returns errComputed for a script with an import of which the text or the
// variable is not the whole name of a file. It looks at the script as esbuild writes it:
// without comments, blanks and escapes of names. What cannot be read is for the bundler to report.
func checkImports(text string, loader api.Loader) error {
	plain := api.Transform(text, api.TransformOptions{
		Loader: loader, Charset: api.CharsetUTF8, MinifyWhitespace: true, MinifyIdentifiers: true,
		TreeShaking: api.TreeShakingFalse, LegalComments: api.LegalCommentsNone, TsconfigRaw: tsconfig, LogLevel: api.LogLevelSilent,
	})
	imports, whole := importPatterns()
	for _, at := range imports.FindAllIndex(plain.Code, -1) {
		if rest := plain.Code[at[1]:]; !whole.Match(rest) {
			return fmt.Errorf("%w, not %q", errComputed, plain.Code[at[0]:min(len(plain.Code), at[1]+40)])
		}
	}
	return nil
}

// faults turns the bundler's messages into one error; nil when there are none.
func faults(lists ...[]api.Message) error {
	var all []error
	for _, list := range lists {
		for _, m := range list {
			if m.Location == nil {
				all = append(all, errors.New(m.Text))
				continue
			}
			// esbuild counts columns from 0.
			all = append(all, fmt.Errorf("%s:%d:%d: %s", m.Location.File, m.Location.Line, m.Location.Column+1, m.Text))
		}
	}
	return errors.Join(all...)
}
