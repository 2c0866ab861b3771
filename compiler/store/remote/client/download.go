package client

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	reapi "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"github.com/klauspost/compress/zstd"
	"google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/compiler/store/remote"
)

// Result returns what the service knows of an action; [remote.ErrAbsent] when that is nothing.
func (c *Client) Result(ctx context.Context, key remote.Digest) (r *remote.Result, err error) {
	var m *reapi.ActionResult
	err = c.call(ctx, func(ctx context.Context) error {
		m, err = c.actions.GetActionResult(ctx, &reapi.GetActionResultRequest{InstanceName: c.o.Instance, ActionDigest: messageOf(key)})
		return err
	})
	if status.Code(err) == codes.NotFound {
		return nil, remote.ErrAbsent
	}
	if err != nil {
		return nil, fmt.Errorf("ask for a result: %w", err)
	}
	return resultOf(m)
}

// wrongBytes is the error of a service whose bytes are not those of their digest.
type wrongBytes struct{ d remote.Digest }

func (e *wrongBytes) Error() string {
	return fmt.Sprintf("it sent other bytes than those of %s", e.d.Sum)
}

// small is how many bytes a blob may have to come in one message.
const small = 256 << 10

// Fetch writes the bytes of a digest, of which a service sends so many in a while as
// [remote.Options] say, and returns no error only when they are these: what
// was written before an error is worth nothing. The error is, or wraps, [remote.ErrAbsent] when
// the service does not have them. Packed says that they are compressed already: the
// service is not asked to compress them for the way.
func (c *Client) Fetch(ctx context.Context, d remote.Digest, to io.Writer, packed bool) error {
	squeezed := c.zstd && !packed
	if d.Size > c.o.Most {
		return fmt.Errorf("fetch %s: it has %d bytes, and at most %d are fetched", d.Sum, d.Size, c.o.Most)
	}
	if d.Size == 0 {
		return c.checked(d, sha256.New(), 0)
	}
	var err error
	if d.Size <= min(small, c.batch/2) {
		err = c.fetchSmall(ctx, d, to, squeezed)
	} else {
		err = c.fetchStream(ctx, d, to, squeezed)
	}
	if status.Code(err) == codes.NotFound {
		return fmt.Errorf("fetch %s: %w", d.Sum, remote.ErrAbsent)
	}
	if err != nil {
		return fmt.Errorf("fetch %s: %w", d.Sum, err)
	}
	return nil
}

// checked compares what has come with what was asked for.
func (c *Client) checked(d remote.Digest, sum hash.Hash, size int64) error {
	if size != d.Size || store.Digest(sum.Sum(nil)) != d.Sum {
		return &wrongBytes{d}
	}
	return nil
}

func (c *Client) fetchSmall(ctx context.Context, d remote.Digest, to io.Writer, squeezed bool) error {
	var found *reapi.BatchReadBlobsResponse
	err := c.call(ctx, func(ctx context.Context) (err error) {
		found, err = c.blobs.BatchReadBlobs(ctx, &reapi.BatchReadBlobsRequest{InstanceName: c.o.Instance, Digests: []*reapi.Digest{messageOf(d)}})
		return err
	})
	if status.Code(err) == codes.Unimplemented {
		return c.fetchStream(ctx, d, to, squeezed)
	}
	if err != nil {
		return err
	}
	if n := len(found.GetResponses()); n != 1 {
		return fmt.Errorf("it answered with %d blobs for one", n)
	}
	one := found.Responses[0]
	if err := status.ErrorProto(one.GetStatus()); err != nil {
		return err
	}
	if one.GetCompressor() != reapi.Compressor_IDENTITY {
		return errors.New("it compressed what was to come as it is")
	}
	sum := sha256.New()
	sum.Write(one.GetData())
	if err := c.checked(d, sum, int64(len(one.GetData()))); err != nil {
		return err
	}
	_, err = to.Write(one.GetData())
	return err
}

func (c *Client) fetchStream(ctx context.Context, d remote.Digest, to io.Writer, squeezed bool) (err error) {
	ctx, come, stop := c.watch(ctx)
	defer func() { err = stop(err) }()
	form := "blobs"
	if squeezed {
		form = "compressed-blobs/zstd"
	}
	stream, err := c.streams.Read(ctx, &bytestream.ReadRequest{ResourceName: c.resource("%s/%s/%d", form, d.Sum, d.Size)})
	if err != nil {
		return err
	}
	var from io.Reader = &received{stream: stream, come: come}
	if squeezed {
		// What is compressed badly is a little larger than it was.
		from = io.LimitReader(from, d.Size+d.Size/8+64<<10)
		plain, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxWindow), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return err
		}
		defer plain.Close()
		from = plain
	}
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(from, d.Size+1))
	if err != nil {
		return err
	}
	return c.checked(d, sum, size)
}

// maxWindow bounds the memory of one decompression in bytes: what every decoder of zstd is
// asked to have.
const maxWindow = 8 << 20

// resource names a blob in a stream.
func (c *Client) resource(format string, args ...any) string {
	name := fmt.Sprintf(format, args...)
	if c.o.Instance != "" {
		name = c.o.Instance + "/" + name
	}
	return name
}

// received reads what a stream brings.
type received struct {
	stream bytestream.ByteStream_ReadClient
	come   func(bytes int)
	rest   bytes.Reader
}

func (r *received) Read(p []byte) (int, error) {
	for r.rest.Len() == 0 {
		m, err := r.stream.Recv()
		if err != nil {
			return 0, err
		}
		r.come(len(m.GetData()))
		r.rest.Reset(m.GetData())
	}
	return r.rest.Read(p)
}

// errQuiet says that a service has brought too little for as long as it may.
var errQuiet = errors.New("it takes too long to answer")

// watch ends a context when fewer bytes have come, or gone, in a while than the options ask
// for, and when all of it takes too long. Stop ends the watch, and says of an error whether
// that was why.
func (c *Client) watch(ctx context.Context) (_ context.Context, come func(bytes int), stop func(error) error) {
	ctx, cancel := context.WithCancelCause(ctx)
	quiet := time.AfterFunc(c.o.Quiet, func() { cancel(errQuiet) })
	longest := time.AfterFunc(c.o.Longest, func() { cancel(errQuiet) })
	var some int64 // since the time began again
	come = func(bytes int) {
		if some += int64(bytes); some >= c.o.Least {
			some = 0
			quiet.Reset(c.o.Quiet)
		}
	}
	return ctx, come, func(err error) error {
		quiet.Stop()
		longest.Stop()
		defer cancel(nil)
		if err != nil && context.Cause(ctx) == errQuiet {
			return errQuiet
		}
		return err
	}
}
