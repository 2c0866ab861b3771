package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	reapi "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/compiler/store/remote"
)

// Client speaks to a service. Make one with [Dial]. Its methods may be called from
// several goroutines.
type Client struct {
	o       remote.Options
	cache   *grpc.ClientConn
	execute *grpc.ClientConn // nil where actions are not carried out; one of its own, since many calls wait there
	room    chan struct{}    // of uploads

	blobs   reapi.ContentAddressableStorageClient
	actions reapi.ActionCacheClient
	streams bytestream.ByteStreamClient

	batch  int64 // bytes of blobs in one message
	zstd   bool  // streams may be compressed
	update bool  // results may be written

	mu      sync.Mutex
	sending map[store.Digest]*sending // blobs that are sent in streams
}

// What holds where a service names no limit.
const (
	defaultBatch = 3 << 20 // bytes; a message of gRPC may have 4 MiB
	maxBatch     = 16 << 20
	maxSent      = maxBatch + 1<<20
	maxReceived  = 4 << 20 // what every client of gRPC takes
)

// uploadsAtOnce bounds the messages that are in memory to be sent.
const uploadsAtOnce = 16

// Dial connects to a service and asks what it can do.
func Dial(ctx context.Context, o remote.Options) (*Client, error) {
	c := &Client{o: o.WithDefaults(), sending: map[store.Digest]*sending{}, room: make(chan struct{}, uploadsAtOnce)}
	if err := c.connect(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Client) connect(ctx context.Context) (err error) {
	if c.cache, err = c.dial(ctx, c.o.Cache); err != nil {
		return err
	}
	if c.o.Executor != "" {
		if c.execute, err = c.dial(ctx, c.o.Executor); err != nil {
			return err
		}
	}
	c.blobs, c.actions = reapi.NewContentAddressableStorageClient(c.cache), reapi.NewActionCacheClient(c.cache)
	c.streams = bytestream.NewByteStreamClient(c.cache)
	can, err := c.capabilities(ctx, c.cache)
	if err != nil {
		return fmt.Errorf("ask %s what it can do: %w", c.o.Cache, err)
	}
	if err := c.learn(can); err != nil {
		return fmt.Errorf("%s: %w", c.o.Cache, err)
	}
	if c.execute == nil {
		return nil
	}
	if c.o.Executor != c.o.Cache {
		if can, err = c.capabilities(ctx, c.execute); err != nil {
			return fmt.Errorf("ask %s what it can do: %w", c.o.Executor, err)
		}
	}
	if !can.GetExecutionCapabilities().GetExecEnabled() {
		return diag.WithHint(fmt.Errorf("%s carries out no actions", c.o.Executor), "name it as --remote-cache")
	}
	return nil
}

// learn takes what a service says of itself.
func (c *Client) learn(can *reapi.ServerCapabilities) error {
	k := can.GetCacheCapabilities()
	if k == nil || !slices.Contains(k.GetDigestFunctions(), reapi.DigestFunction_SHA256) {
		return errors.New("keeps nothing by SHA-256")
	}
	c.batch = k.GetMaxBatchTotalSizeBytes()
	if c.batch <= 0 {
		c.batch = defaultBatch
	}
	c.batch = min(c.batch, maxBatch)
	c.zstd = slices.Contains(k.GetSupportedCompressors(), reapi.Compressor_ZSTD)
	c.update = k.GetActionCacheUpdateCapabilities().GetUpdateEnabled()
	return nil
}

// MayUpdate reports whether the service takes results of ours.
func (c *Client) MayUpdate() bool { return c.update }

// Executes reports whether the service carries out actions.
func (c *Client) Executes() bool { return c.execute != nil }

func (c *Client) capabilities(ctx context.Context, conn *grpc.ClientConn) (can *reapi.ServerCapabilities, err error) {
	err = c.call(ctx, func(ctx context.Context) error {
		can, err = reapi.NewCapabilitiesClient(conn).GetCapabilities(ctx, &reapi.GetCapabilitiesRequest{InstanceName: c.o.Instance})
		return err
	})
	return can, err
}

// dial prepares a connection; it is made with the first call.
func (c *Client) dial(ctx context.Context, text string) (*grpc.ClientConn, error) {
	a, err := remote.ParseAddress(text)
	if err != nil {
		return nil, err
	}
	creds, err := credentialsOf(c.o, a)
	if err != nil {
		return nil, err
	}
	headers := maps.Clone(c.o.Headers)
	if headers == nil {
		headers = map[string]string{}
	}
	if c.o.Helper != "" {
		found, err := askHelper(ctx, c.o.Helper, a.Host)
		if err != nil {
			return nil, err
		}
		maps.Copy(headers, found)
	}
	if len(headers) > 0 && !a.Secret && !a.IsLocal() {
		return nil, diag.WithHint(fmt.Errorf("headers would be sent to %s without encryption", a.Host), "write its address with grpcs://")
	}
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		pairs = append(pairs, strings.ToLower(name), headers[name])
	}
	if details, err := proto.Marshal(&reapi.RequestMetadata{ToolDetails: &reapi.ToolDetails{ToolName: "packgen", ToolVersion: c.o.Tool}}); err == nil {
		pairs = append(pairs, "build.bazel.remote.execution.v2.requestmetadata-bin", string(details))
	}
	with := func(ctx context.Context) context.Context { return metadata.AppendToOutgoingContext(ctx, pairs...) }
	conn, err := grpc.NewClient("dns:///"+a.Host,
		grpc.WithTransportCredentials(creds),
		grpc.WithUserAgent("packgen/"+c.o.Tool),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxReceived), grpc.MaxCallSendMsgSize(maxSent)),
		grpc.WithUnaryInterceptor(func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			return invoke(with(ctx), method, req, reply, cc, opts...)
		}),
		grpc.WithStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, stream grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			return stream(with(ctx), desc, cc, method, opts...)
		}),
	)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", text, err)
	}
	return conn, nil
}

// Close ends the connections.
func (c *Client) Close() {
	if c.execute != nil {
		_ = c.execute.Close()
	}
	if c.cache != nil {
		_ = c.cache.Close()
	}
}

// tries is how often a call is made that a service was too busy or too shaken to answer.
const tries = 3

// call makes a call, again where it may succeed then.
func (c *Client) call(ctx context.Context, call func(ctx context.Context) error) error {
	for pause, try := 50*time.Millisecond, 1; ; pause, try = 4*pause, try+1 {
		limited, cancel := context.WithTimeout(ctx, c.o.Quiet)
		err := call(limited)
		cancel()
		if err == nil || try == tries || ctx.Err() != nil || !passing(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// passing reports whether the same call may succeed a moment later.
func passing(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.Aborted:
		return true
	}
	return false
}

// cause is the last part of what gRPC says of a connection, in parentheses: whether the
// host is not known, nobody listens there or its certificate is refused.
func cause(message string) string {
	last := strings.Trim(message[strings.LastIndex(message, ": ")+1:], ` "`)
	if last == "" {
		return ""
	}
	return " (" + last + ")"
}

// Reason is an error of a service in a few words.
func Reason(err error) string {
	s, ok := status.FromError(err)
	var given interface{ GRPCStatus() *status.Status }
	if !ok && !errors.As(err, &given) {
		return err.Error()
	}
	if s == nil || s.Code() == codes.OK || !ok {
		s = given.GRPCStatus()
	}
	switch s.Code() {
	case codes.Unavailable:
		return "it does not answer" + cause(s.Message())
	case codes.DeadlineExceeded:
		return "it takes too long to answer"
	case codes.ResourceExhausted:
		return "it is full or busy"
	case codes.PermissionDenied, codes.Unauthenticated:
		return "it does not let us in: " + s.Message()
	}
	return s.Code().String() + ": " + s.Message()
}
