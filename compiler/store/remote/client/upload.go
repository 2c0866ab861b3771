package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"

	reapi "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"github.com/klauspost/compress/zstd"
	"google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/compiler/store/remote"
)

// SetResult gives the service the result of an action, with the messages that describe the
// action. The files of the result must be there.
func (c *Client) SetResult(ctx context.Context, a *remote.Action, r *remote.Result) error {
	if err := c.Upload(ctx, a.Shown); err != nil {
		return err
	}
	err := c.call(ctx, func(ctx context.Context) error {
		_, err := c.actions.UpdateActionResult(ctx, &reapi.UpdateActionResultRequest{InstanceName: c.o.Instance, ActionDigest: messageOf(a.Key), ActionResult: resultMessage(r)})
		return err
	})
	if err != nil {
		return fmt.Errorf("write a result: %w", err)
	}
	return nil
}

// How blobs travel.
const (
	mostAsked = 10_000    // digests in one question
	chunk     = 256 << 10 // bytes in one message of a stream
	perBlob   = 128       // bytes of a message beside those of a blob, about
)

// Upload gives the service those of some blobs that it does not have.
func (c *Client) Upload(ctx context.Context, blobs []remote.Blob) error {
	select {
	case c.room <- struct{}{}:
		defer func() { <-c.room }()
	case <-ctx.Done():
		return ctx.Err()
	}
	missing, err := c.missing(ctx, blobs)
	if err != nil {
		return fmt.Errorf("ask which blobs are missing: %w", err)
	}
	var batch []remote.Blob
	size := int64(0)
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		err := c.uploadBatch(ctx, batch)
		batch, size = batch[:0], 0
		return err
	}
	for _, b := range missing {
		if b.Size > min(small, c.batch/2) {
			if err := c.uploadStream(ctx, b); err != nil {
				return fmt.Errorf("send %s: %w", b.Sum, err)
			}
			continue
		}
		if size+b.Size+perBlob > c.batch {
			if err := flush(); err != nil {
				return err
			}
		}
		batch = append(batch, b)
		size += b.Size + perBlob
	}
	return flush()
}

// missing returns the blobs that the service does not have, each once.
func (c *Client) missing(ctx context.Context, blobs []remote.Blob) ([]remote.Blob, error) {
	byDigest := make(map[store.Digest]remote.Blob, len(blobs))
	var asked []*reapi.Digest
	var list []remote.Blob
	ask := func() error {
		var found *reapi.FindMissingBlobsResponse
		err := c.call(ctx, func(ctx context.Context) (err error) {
			found, err = c.blobs.FindMissingBlobs(ctx, &reapi.FindMissingBlobsRequest{InstanceName: c.o.Instance, BlobDigests: asked})
			return err
		})
		asked = nil
		for _, m := range found.GetMissingBlobDigests() {
			d, bad := digestOf(m)
			b, known := byDigest[d.Sum]
			if bad == nil && known {
				list = append(list, b)
				delete(byDigest, d.Sum) // named twice it is sent once
			}
		}
		return err
	}
	for _, b := range blobs {
		if _, known := byDigest[b.Sum]; known {
			continue
		}
		byDigest[b.Sum] = b
		if asked = append(asked, messageOf(b.Digest)); len(asked) == mostAsked {
			if err := ask(); err != nil {
				return nil, err
			}
		}
	}
	if len(asked) > 0 {
		if err := ask(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// uploadBatch sends small blobs in one message.
func (c *Client) uploadBatch(ctx context.Context, batch []remote.Blob) error {
	m := &reapi.BatchUpdateBlobsRequest{InstanceName: c.o.Instance}
	for _, b := range batch {
		data, err := bytesOf(b)
		if err != nil {
			return err
		}
		m.Requests = append(m.Requests, &reapi.BatchUpdateBlobsRequest_Request{Digest: messageOf(b.Digest), Data: data})
	}
	var answer *reapi.BatchUpdateBlobsResponse
	err := c.call(ctx, func(ctx context.Context) (err error) {
		answer, err = c.blobs.BatchUpdateBlobs(ctx, m)
		return err
	})
	if status.Code(err) == codes.Unimplemented {
		for _, b := range batch {
			if err := c.uploadStream(ctx, b); err != nil {
				return fmt.Errorf("send %s: %w", b.Sum, err)
			}
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("send blobs: %w", err)
	}
	for _, one := range answer.GetResponses() {
		if err := status.ErrorProto(one.GetStatus()); err != nil {
			return fmt.Errorf("send blobs: %w", err)
		}
	}
	return nil
}

// bytesOf returns the bytes of a small blob, which must still be those of its digest.
func bytesOf(b remote.Blob) ([]byte, error) {
	r, err := b.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, b.Size+1))
	if err == nil && remote.DigestOf(data) != b.Digest {
		err = errChanged
	}
	return data, err
}

// errChanged says that a file is no longer what it was when it was looked at.
var errChanged = errors.New("a file changed while it was sent")

// sending is a blob that is sent: many actions have the program as an input, and
// begin together.
type sending struct {
	done chan struct{}
	err  error
}

// uploadStream sends one blob piece by piece, unless another call does.
func (c *Client) uploadStream(ctx context.Context, b remote.Blob) error {
	c.mu.Lock()
	other, busy := c.sending[b.Sum]
	if !busy {
		other = &sending{done: make(chan struct{})}
		c.sending[b.Sum] = other
	}
	c.mu.Unlock()
	if busy {
		select {
		case <-other.done:
			return other.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	other.err = c.stream(ctx, b)
	c.mu.Lock()
	delete(c.sending, b.Sum)
	c.mu.Unlock()
	close(other.done)
	return other.err
}

func (c *Client) stream(ctx context.Context, b remote.Blob) (err error) {
	ctx, gone, stop := c.watch(ctx)
	defer func() { err = stop(err) }()
	from, err := b.Open()
	if err != nil {
		return err
	}
	defer from.Close()
	stream, err := c.streams.Write(ctx)
	if err != nil {
		return err
	}
	form, squeeze := "blobs", c.zstd && !b.Packed
	if squeeze {
		form = "compressed-blobs/zstd"
	}
	w := &sent{stream: stream, gone: gone, name: c.resource("uploads/%s/%s/%s/%d", uploadID(), form, b.Sum, b.Size)}
	if err := pour(w, from, b.Size, squeeze); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	answer, err := stream.CloseAndRecv()
	if err != nil {
		return err
	}
	// One that has the blob already may answer before all of it came.
	if n := answer.GetCommittedSize(); n != w.at && n != b.Size && n != -1 {
		return fmt.Errorf("it took %d of %d bytes", n, w.at)
	}
	return nil
}

// pour writes a blob to a stream, with zstd where that saves anything. The error is io.EOF when the service wants no more.
func pour(w *sent, from io.Reader, size int64, squeeze bool) error {
	if !squeeze {
		if n, err := io.CopyBuffer(w, from, make([]byte, chunk)); err != nil || n != size {
			return cmp.Or(err, errChanged)
		}
		return w.end()
	}
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	n, err := io.Copy(z, from)
	if err == nil && n != size {
		err = errChanged
	}
	if err := cmp.Or(err, z.Close()); err != nil {
		return err
	}
	return w.end()
}

// sent writes to a stream. It holds the last bytes back: some services want the message
// that completes a blob to say so.
type sent struct {
	stream bytestream.ByteStream_WriteClient
	gone   func(bytes int)
	name   string
	at     int64 // bytes that were sent
	held   []byte
}

func (w *sent) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if len(w.held) == chunk {
			if err := w.send(false); err != nil {
				return 0, err
			}
		}
		piece := p[:min(len(p), chunk-len(w.held))]
		w.held = append(w.held, piece...)
		p = p[len(piece):]
	}
	return n, nil
}

// end sends what was held back.
func (w *sent) end() error { return w.send(true) }

func (w *sent) send(last bool) error {
	m := &bytestream.WriteRequest{WriteOffset: w.at, Data: w.held, FinishWrite: last}
	if w.at == 0 {
		m.ResourceName = w.name
	}
	err := w.stream.Send(m)
	w.gone(len(w.held))
	w.at += int64(len(w.held))
	w.held = make([]byte, 0, chunk) // the message may not have left yet
	return err
}

// uploadID names one upload among all.
func uploadID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
