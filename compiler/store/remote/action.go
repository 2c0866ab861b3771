package remote

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	reapi "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/packgen/packgen/compiler/store"
)

// Digest identifies bytes: a service wants their number, too.
type Digest struct {
	Sum  store.Digest
	Size int64
}

// digestOfBytes returns the digest of bytes.
func digestOfBytes(data []byte) Digest { return Digest{store.Sum(data), int64(len(data))} }

func (d Digest) message() *reapi.Digest {
	return &reapi.Digest{Hash: hex.EncodeToString(d.Sum[:]), SizeBytes: d.Size}
}

func digestOf(m *reapi.Digest) (Digest, error) {
	d := Digest{store.ParseDigest(m.GetHash()), m.GetSizeBytes()}
	if !d.Sum.Known() || d.Size < 0 {
		return Digest{}, fmt.Errorf("%q of %d bytes is not a digest", m.GetHash(), m.GetSizeBytes())
	}
	return d, nil
}

// Blob is bytes that a service may need.
type Blob struct {
	Digest
	Packed bool // it is compressed already: to do so again would cost time only
	Open   func() (io.ReadCloser, error)
}

// BlobOf returns bytes that are in memory.
func BlobOf(data []byte) Blob {
	return Blob{Digest: digestOfBytes(data), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
}

// Input is a file of the tree that an action starts with.
type Input struct {
	Path    string // clean slash path
	Program bool   // it may be executed
	Blob
}

// Command says what an action does. Paths are below the root of its input files.
type Command struct {
	Arguments   []string
	Environment map[string]string
	Platform    map[string]string // properties of the machines that may do it
	Outputs     []string          // paths of files
	Timeout     time.Duration     // 0 is that of the service
}

// Action is a command with its input files.
type Action struct {
	Key    Digest
	inputs []Input
	own    []Blob // the messages that describe it
	said   []Blob // those of them that go with a result
}

// NewAction describes an action. Equal commands and inputs make equal keys, whatever the
// order of the inputs.
func NewAction(c Command, inputs []Input) (*Action, error) {
	a := &Action{inputs: inputs}
	slices.SortFunc(a.inputs, func(x, y Input) int { return strings.Compare(x.Path, y.Path) })
	root, err := a.directory(a.inputs, 0)
	if err != nil {
		return nil, err
	}
	on := platform(c.Platform)
	command := &reapi.Command{Arguments: c.Arguments, OutputPaths: slices.Sorted(slices.Values(c.Outputs))}
	//lint:ignore SA1019 services of version 2.0 and 2.1 look there
	command.Platform, command.OutputFiles = on, command.OutputPaths
	for _, name := range slices.Sorted(maps.Keys(c.Environment)) {
		command.EnvironmentVariables = append(command.EnvironmentVariables, &reapi.Command_EnvironmentVariable{Name: name, Value: c.Environment[name]})
	}
	of, err := a.add(command)
	if err != nil {
		return nil, err
	}
	action := &reapi.Action{CommandDigest: of.message(), InputRootDigest: root.message(), Platform: on}
	if c.Timeout > 0 {
		action.Timeout = durationpb.New(c.Timeout)
	}
	if a.Key, err = a.add(action); err != nil {
		return nil, err
	}
	a.said = a.own[len(a.own)-2:]
	return a, nil
}

func platform(properties map[string]string) *reapi.Platform {
	if len(properties) == 0 {
		return nil
	}
	p := &reapi.Platform{}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		p.Properties = append(p.Properties, &reapi.Platform_Property{Name: name, Value: properties[name]})
	}
	return p
}

// add notes a message as a blob of the action.
func (a *Action) add(m proto.Message) (Digest, error) {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return Digest{}, fmt.Errorf("describe an action: %w", err)
	}
	b := BlobOf(data)
	a.own = append(a.own, b)
	return b.Digest, nil
}

// directory describes the directory that some inputs lie in; their paths are sorted, and
// the first bytes of each are those of the directory.
func (a *Action) directory(inputs []Input, prefix int) (Digest, error) {
	d := &reapi.Directory{}
	// In path order a name with a byte below "/" would part the files of a directory.
	below := map[string][]Input{}
	for _, in := range inputs {
		name, _, nested := strings.Cut(in.Path[prefix:], "/")
		if nested {
			below[name] = append(below[name], in)
			continue
		}
		if n := len(d.Files); n > 0 && d.Files[n-1].Name == name {
			return Digest{}, fmt.Errorf("describe an action: %s is an input twice", in.Path)
		}
		d.Files = append(d.Files, &reapi.FileNode{Name: name, Digest: in.message(), IsExecutable: in.Program})
	}
	for _, name := range slices.Sorted(maps.Keys(below)) {
		if _, found := slices.BinarySearchFunc(d.Files, name, func(f *reapi.FileNode, name string) int { return strings.Compare(f.Name, name) }); found {
			return Digest{}, fmt.Errorf("describe an action: %s is a file and a directory", below[name][0].Path[:prefix+len(name)])
		}
		of, err := a.directory(below[name], prefix+len(name)+1)
		if err != nil {
			return Digest{}, err
		}
		d.Directories = append(d.Directories, &reapi.DirectoryNode{Name: name, Digest: of.message()})
	}
	return a.add(d)
}

// Blobs are all that a service needs to carry the action out.
func (a *Action) Blobs() []Blob {
	list := slices.Clone(a.own)
	for _, in := range a.inputs {
		list = append(list, in.Blob)
	}
	return list
}

// Result is what an action has made: files by their paths.
type Result struct {
	Exit  int
	Files map[string]Digest
}

func (r *Result) message() *reapi.ActionResult {
	m := &reapi.ActionResult{ExitCode: int32(r.Exit)}
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		m.OutputFiles = append(m.OutputFiles, &reapi.OutputFile{Path: name, Digest: r.Files[name].message()})
	}
	return m
}

// mostOutputs bounds the files of a result.
const mostOutputs = 1000

func resultOf(m *reapi.ActionResult) (*Result, error) {
	r := &Result{Exit: int(m.GetExitCode()), Files: map[string]Digest{}}
	if len(m.GetOutputFiles()) > mostOutputs {
		return nil, fmt.Errorf("a result of %d files", len(m.GetOutputFiles()))
	}
	for _, f := range m.GetOutputFiles() {
		d, err := digestOf(f.GetDigest())
		if err != nil {
			return nil, err
		}
		if _, twice := r.Files[f.GetPath()]; twice {
			return nil, fmt.Errorf("a result with %.100q twice", f.GetPath())
		}
		r.Files[f.GetPath()] = d
	}
	return r, nil
}
