package client

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	reapi "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/compiler/store/remote"
)

// messageOf is a digest as services write it.
func messageOf(d remote.Digest) *reapi.Digest {
	return &reapi.Digest{Hash: hex.EncodeToString(d.Sum[:]), SizeBytes: d.Size}
}

func digestOf(m *reapi.Digest) (remote.Digest, error) {
	d := remote.Digest{Sum: store.ParseDigest(m.GetHash()), Size: m.GetSizeBytes()}
	if !d.Sum.Known() || d.Size < 0 {
		return remote.Digest{}, fmt.Errorf("%q of %d bytes is not a digest", m.GetHash(), m.GetSizeBytes())
	}
	return d, nil
}

// description is an action that is being described.
type description struct{ messages []remote.Blob }

// NewAction describes an action. Equal commands and inputs make equal keys, whatever the
// order of the inputs.
func NewAction(c remote.Command, inputs []remote.Input) (*remote.Action, error) {
	var a description
	slices.SortFunc(inputs, func(x, y remote.Input) int { return strings.Compare(x.Path, y.Path) })
	root, err := a.directory(inputs, 0)
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
	action := &reapi.Action{CommandDigest: messageOf(of), InputRootDigest: messageOf(root), Platform: on}
	if c.Timeout > 0 {
		action.Timeout = durationpb.New(c.Timeout)
	}
	key, err := a.add(action)
	if err != nil {
		return nil, err
	}
	return &remote.Action{Key: key, Inputs: inputs, Messages: a.messages, Shown: a.messages[len(a.messages)-2:]}, nil
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
func (a *description) add(m proto.Message) (remote.Digest, error) {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return remote.Digest{}, fmt.Errorf("describe an action: %w", err)
	}
	b := remote.BlobOf(data)
	a.messages = append(a.messages, b)
	return b.Digest, nil
}

// directory describes the directory that some inputs lie in; their paths are sorted, and
// the first bytes of each are those of the directory.
func (a *description) directory(inputs []remote.Input, prefix int) (remote.Digest, error) {
	d := &reapi.Directory{}
	// In path order a name with a byte below "/" would part the files of a directory.
	below := map[string][]remote.Input{}
	for _, in := range inputs {
		name, _, nested := strings.Cut(in.Path[prefix:], "/")
		if nested {
			below[name] = append(below[name], in)
			continue
		}
		if n := len(d.Files); n > 0 && d.Files[n-1].Name == name {
			return remote.Digest{}, fmt.Errorf("describe an action: %s is an input twice", in.Path)
		}
		d.Files = append(d.Files, &reapi.FileNode{Name: name, Digest: messageOf(in.Digest), IsExecutable: in.Program})
	}
	for _, name := range slices.Sorted(maps.Keys(below)) {
		if _, found := slices.BinarySearchFunc(d.Files, name, func(f *reapi.FileNode, name string) int { return strings.Compare(f.Name, name) }); found {
			return remote.Digest{}, fmt.Errorf("describe an action: %s is a file and a directory", below[name][0].Path[:prefix+len(name)])
		}
		of, err := a.directory(below[name], prefix+len(name)+1)
		if err != nil {
			return remote.Digest{}, err
		}
		d.Directories = append(d.Directories, &reapi.DirectoryNode{Name: name, Digest: messageOf(of)})
	}
	return a.add(d)
}

// resultMessage is a result as services write it.
func resultMessage(r *remote.Result) *reapi.ActionResult {
	m := &reapi.ActionResult{ExitCode: int32(r.Exit)}
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		m.OutputFiles = append(m.OutputFiles, &reapi.OutputFile{Path: name, Digest: messageOf(r.Files[name])})
	}
	return m
}

// mostOutputs bounds the files of a result.
const mostOutputs = 1000

func resultOf(m *reapi.ActionResult) (*remote.Result, error) {
	r := &remote.Result{Exit: int(m.GetExitCode()), Files: map[string]remote.Digest{}}
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
