package client

import (
	"context"
	"errors"
	"fmt"
	"io"

	reapi "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"github.com/packgen/packgen/compiler/store/remote"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Execute has the service carry out an action, whose inputs are sent as far as it does not
// have them. One that it knows the result of already is not carried out again. The result
// may be that of an action that failed.
func (c *Client) Execute(ctx context.Context, a *remote.Action) (*remote.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, c.o.Longest)
	defer cancel()
	for try := 1; ; try++ {
		if err := c.Upload(ctx, a.Blobs()); err != nil {
			return nil, err
		}
		r, err := c.run(ctx, a)
		// An input that was there when it was asked for may be gone when it is needed.
		if status.Code(err) == codes.FailedPrecondition && try < tries {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("carry out an action: %w", err)
		}
		return r, nil
	}
}

// run has an action carried out, and waits for its end. Where the connection is lost, it
// asks for the same operation again.
func (c *Client) run(ctx context.Context, a *remote.Action) (*remote.Result, error) {
	service := reapi.NewExecutionClient(c.execute)
	var name string
	for try := 1; ; try++ {
		var stream reapi.Execution_ExecuteClient
		var err error
		if name == "" {
			stream, err = service.Execute(ctx, &reapi.ExecuteRequest{InstanceName: c.o.Instance, ActionDigest: messageOf(a.Key)})
		} else {
			stream, err = service.WaitExecution(ctx, &reapi.WaitExecutionRequest{Name: name})
		}
		if err == nil {
			var r *remote.Result
			if r, err = await(stream, &name); err == nil {
				return r, nil
			}
		}
		if status.Code(err) == codes.NotFound && name != "" {
			name = "" // the service has forgotten the operation
		} else if !passing(err) && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if try == tries || ctx.Err() != nil {
			return nil, err
		}
	}
}

// await reads a stream until the action is done, and notes the name of the operation.
func await(stream reapi.Execution_ExecuteClient, name *string) (*remote.Result, error) {
	for {
		op, err := stream.Recv()
		if err != nil {
			return nil, err
		}
		*name = op.GetName()
		if !op.GetDone() {
			continue
		}
		if failed := op.GetError(); failed != nil {
			return nil, status.ErrorProto(failed)
		}
		var answer reapi.ExecuteResponse
		if err := op.GetResponse().UnmarshalTo(&answer); err != nil {
			return nil, fmt.Errorf("read the answer: %w", err)
		}
		if err := status.ErrorProto(answer.GetStatus()); err != nil {
			return nil, err
		}
		return resultOf(answer.GetResult())
	}
}
