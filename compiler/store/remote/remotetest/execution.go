package remotetest

import (
	"fmt"
	"path"
	"slices"

	reapi "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"
)

func (v *services) Execute(r *reapi.ExecuteRequest, out reapi.Execution_ExecuteServer) error {
	s := v.s
	answer, err := v.carryOut(r)
	if err != nil {
		return err
	}
	s.mu.Lock()
	name := fmt.Sprintf("operation-%d", len(s.done)+1)
	s.done[name] = answer
	lost := s.Lost > 0
	s.Lost--
	s.mu.Unlock()
	begun := messageFor(out.Send)
	begun.Name = name
	if err := out.Send(begun); err != nil {
		return err
	}
	if lost {
		return status.Error(codes.Unavailable, "lost")
	}
	return finish(name, answer, out)
}

func (v *services) WaitExecution(r *reapi.WaitExecutionRequest, out reapi.Execution_ExecuteServer) error {
	answer := locked(v.s, func() *reapi.ExecuteResponse { return v.s.done[r.GetName()] })
	if answer == nil {
		return status.Error(codes.NotFound, "no such operation")
	}
	return finish(r.GetName(), answer, out)
}

// finish sends the end of an operation.
func finish(name string, answer *reapi.ExecuteResponse, out reapi.Execution_ExecuteServer) error {
	packed, err := anypb.New(answer)
	if err != nil {
		return err
	}
	done := messageFor(out.Send)
	done.Name, done.Done = name, true
	m := done.ProtoReflect()
	m.Set(m.Descriptor().Fields().ByName("response"), protoreflect.ValueOfMessage(packed.ProtoReflect()))
	return out.Send(done)
}

// messageFor returns an empty message of the type that is sent: it is of a module that nothing
// else here names.
func messageFor[T any](func(*T) error) *T { return new(T) }

// carryOut does an action, as far as its result is not known.
func (v *services) carryOut(r *reapi.ExecuteRequest) (*reapi.ExecuteResponse, error) {
	s := v.s
	if known := v.result(r.GetActionDigest()); known != nil && !r.GetSkipCacheLookup() {
		return &reapi.ExecuteResponse{Result: known, CachedResult: true}, nil
	}
	var action reapi.Action
	var command reapi.Command
	if err := v.message(r.GetActionDigest(), &action); err != nil {
		return nil, err
	}
	if err := v.message(action.GetCommandDigest(), &command); err != nil {
		return nil, err
	}
	inputs := map[string][]byte{}
	if err := v.tree(action.GetInputRootDigest(), "", inputs); err != nil {
		return nil, err
	}
	outputs, exit := s.Run(&command, inputs)
	result := &reapi.ActionResult{ExitCode: int32(exit)}
	for name, data := range outputs {
		if slices.Contains(command.GetOutputPaths(), name) {
			result.OutputFiles = append(result.OutputFiles, &reapi.OutputFile{Path: name, Digest: s.put(data)})
		}
	}
	if exit == 0 {
		v.keep(r.GetActionDigest(), result)
	}
	return &reapi.ExecuteResponse{Result: result}, nil
}

// message reads a blob that is a message.
func (v *services) message(d *reapi.Digest, m proto.Message) error {
	data, err := v.s.get(d)
	if err != nil {
		return status.Error(codes.FailedPrecondition, "a message is missing")
	}
	return proto.Unmarshal(data, m)
}

// tree reads the files of a directory.
func (v *services) tree(d *reapi.Digest, at string, files map[string][]byte) error {
	var dir reapi.Directory
	if err := v.message(d, &dir); err != nil {
		return err
	}
	for _, f := range dir.GetFiles() {
		data, err := v.s.get(f.GetDigest())
		if err != nil {
			return status.Error(codes.FailedPrecondition, "an input is missing")
		}
		files[path.Join(at, f.GetName())] = data
	}
	for _, below := range dir.GetDirectories() {
		if err := v.tree(below.GetDigest(), path.Join(at, below.GetName()), files); err != nil {
			return err
		}
	}
	return nil
}
