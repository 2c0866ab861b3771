package remotetest

import (
	"context"
	"io"
	"maps"
	"net"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	reapi "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"github.com/klauspost/compress/zstd"
	"google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/packgen/packgen/compiler/store"
)

// Faults are what is wrong with a server. The zero value is a good one.
type Faults struct {
	Full     bool // takes no blob and no result
	Lies     bool // sends other bytes than those asked for
	Evicts   bool // has results, and has lost their blobs
	Hangs    bool // answers nothing about blobs and results
	ReadOnly bool // refuses to be written
	Dies     int  // after that many calls nothing is answered any more; 0 is never
	Zstd     bool // takes and sends compressed streams
	Drips    bool // sends a byte at a time, with a pause after each, and never ends
	Swells   bool // sends compressed streams that become far larger than they should
	Empties  bool // sends compressed streams of nothing that never end
}

// Server is such a service.
type Server struct {
	Address string // grpc://127.0.0.1:PORT
	// Run carries out an action: it gets the input files by their paths, and returns the
	// output files. Nil carries out none.
	Run func(c *reapi.Command, inputs map[string][]byte) (outputs map[string][]byte, exit int)
	// Lost is how many times an Execute breaks off after it named its operation.
	Lost int

	grpc *grpc.Server

	mu      sync.Mutex
	faults  Faults
	blobs   map[store.Digest][]byte
	results map[string]*reapi.ActionResult
	calls   map[string]int
	total   int
	heard   []byte // all that clients have sent
	headers []metadata.MD
	done    map[string]*reapi.ExecuteResponse // by the name of the operation
}

// New starts a server, which ends with the test.
func New(t testing.TB, o ...grpc.ServerOption) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{
		Address: "grpc://" + listener.Addr().String(),
		blobs:   map[store.Digest][]byte{}, results: map[string]*reapi.ActionResult{}, calls: map[string]int{}, done: map[string]*reapi.ExecuteResponse{},
	}
	s.grpc = grpc.NewServer(append(o, grpc.MaxRecvMsgSize(32<<20), grpc.UnaryInterceptor(s.unary), grpc.StreamInterceptor(s.stream))...)
	face := &services{s: s}
	reapi.RegisterCapabilitiesServer(s.grpc, face)
	reapi.RegisterActionCacheServer(s.grpc, face)
	reapi.RegisterContentAddressableStorageServer(s.grpc, face)
	reapi.RegisterExecutionServer(s.grpc, face)
	bytestream.RegisterByteStreamServer(s.grpc, face)
	go func() { _ = s.grpc.Serve(listener) }()
	t.Cleanup(s.Stop)
	return s
}

// Stop ends the server at once.
func (s *Server) Stop() { s.grpc.Stop() }

// Break sets what is wrong with the server from now on, and counts its calls again.
func (s *Server) Break(f Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults, s.total, s.calls = f, 0, map[string]int{}
}

// locked returns what f does, which nothing of the server happens beside.
func locked[T any](s *Server, f func() T) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return f()
}

// Calls returns how often a method was called, by its name.
func (s *Server) Calls(method string) int {
	return locked(s, func() int { return s.calls[method] })
}

// Heard returns all that clients have sent, blobs uncompressed.
func (s *Server) Heard() []byte { return locked(s, func() []byte { return slices.Clone(s.heard) }) }

// Header returns the values of a header that came with any call.
func (s *Server) Header(name string) (values []string) {
	for _, md := range locked(s, func() []metadata.MD { return slices.Clone(s.headers) }) {
		values = append(values, md.Get(name)...)
	}
	return values
}

// Blobs returns all blobs.
func (s *Server) Blobs() [][]byte {
	return locked(s, func() [][]byte { return slices.Collect(maps.Values(s.blobs)) })
}

// Results returns how many actions the server knows the results of.
func (s *Server) Results() int { return locked(s, func() int { return len(s.results) }) }

// Saved returns the results, for Restore.
func (s *Server) Saved() map[string]*reapi.ActionResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	saved := map[string]*reapi.ActionResult{}
	for key, r := range s.results {
		saved[key] = proto.CloneOf(r)
	}
	return saved
}

// Restore makes the results those that were saved.
func (s *Server) Restore(saved map[string]*reapi.ActionResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results = saved
}

// Replace gives each output file of each result other bytes, as whoever may write to the
// server can.
func (s *Server) Replace(with func(data []byte) []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.results {
		for _, f := range r.OutputFiles {
			f.Digest = s.add(with(slices.Clone(s.blobs[store.ParseDigest(f.Digest.GetHash())])))
		}
	}
}

// count notes a call, and says whether it is answered.
func (s *Server) count(ctx context.Context, method string) error {
	s.mu.Lock()
	s.total++
	method = path.Base(method)
	s.calls[method]++
	md, _ := metadata.FromIncomingContext(ctx)
	s.headers = append(s.headers, md)
	f, dead := s.faults, s.faults.Dies > 0 && s.total > s.faults.Dies
	s.mu.Unlock()
	switch {
	case dead:
		return status.Error(codes.Unavailable, "dead")
	case f.Hangs && method != "GetCapabilities":
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

func (s *Server) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	if err := s.count(ctx, info.FullMethod); err != nil {
		return nil, err
	}
	if m, ok := req.(proto.Message); ok {
		if data, err := proto.Marshal(m); err == nil {
			s.hear(data)
		}
	}
	return handle(ctx, req)
}

func (s *Server) stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	if err := s.count(ss.Context(), info.FullMethod); err != nil {
		return err
	}
	return handle(srv, ss)
}

func (s *Server) hear(data []byte) {
	locked(s, func() []byte { s.heard = append(s.heard, data...); return nil })
}

// fault returns what is wrong with the server now.
func (s *Server) fault() Faults { return locked(s, func() Faults { return s.faults }) }

// blob returns a blob, nil when there is none.
func (s *Server) blob(d *reapi.Digest) []byte {
	return locked(s, func() []byte { return s.blobs[store.ParseDigest(d.GetHash())] })
}

// put keeps a blob.
func (s *Server) put(data []byte) *reapi.Digest {
	return locked(s, func() *reapi.Digest { return s.add(data) })
}

// add is put for a caller that holds the lock. An empty blob is one too.
func (s *Server) add(data []byte) *reapi.Digest {
	d := store.Sum(data)
	s.blobs[d] = append([]byte{}, data...)
	return &reapi.Digest{Hash: d.String(), SizeBytes: int64(len(data))}
}

// take accepts a blob from a client.
func (s *Server) take(want *reapi.Digest, data []byte) error {
	f := s.fault()
	switch {
	case f.Full:
		return status.Error(codes.ResourceExhausted, "full")
	case f.ReadOnly:
		return status.Error(codes.PermissionDenied, "read only")
	case store.Sum(data).String() != want.GetHash() || int64(len(data)) != want.GetSizeBytes():
		return status.Error(codes.InvalidArgument, "the digest is another")
	}
	s.put(data)
	return nil
}

// get returns a blob as the server has it.
func (s *Server) get(d *reapi.Digest) ([]byte, error) {
	f := s.fault()
	data := s.blob(d)
	if data == nil || f.Evicts {
		return nil, status.Error(codes.NotFound, "no such blob")
	}
	if f.Lies && len(data) > 0 {
		data = slices.Clone(data)
		data[len(data)/2] ^= 1
	}
	return data, nil
}

// services are the methods that clients call.
type services struct {
	reapi.UnimplementedCapabilitiesServer
	reapi.UnimplementedActionCacheServer
	reapi.UnimplementedContentAddressableStorageServer
	reapi.UnimplementedExecutionServer
	bytestream.UnimplementedByteStreamServer
	s *Server
}

// result returns what is known of an action, nil for nothing.
func (v *services) result(action *reapi.Digest) *reapi.ActionResult {
	return locked(v.s, func() *reapi.ActionResult { return v.s.results[action.GetHash()] })
}

// keep makes a result that of an action.
func (v *services) keep(action *reapi.Digest, r *reapi.ActionResult) *reapi.ActionResult {
	return locked(v.s, func() *reapi.ActionResult { v.s.results[action.GetHash()] = r; return r })
}

func (v *services) GetCapabilities(context.Context, *reapi.GetCapabilitiesRequest) (*reapi.ServerCapabilities, error) {
	f := v.s.fault()
	can := &reapi.ServerCapabilities{CacheCapabilities: &reapi.CacheCapabilities{
		DigestFunctions:               []reapi.DigestFunction_Value{reapi.DigestFunction_SHA256},
		ActionCacheUpdateCapabilities: &reapi.ActionCacheUpdateCapabilities{UpdateEnabled: !f.ReadOnly},
		MaxBatchTotalSizeBytes:        1 << 20,
	}}
	if f.Zstd {
		can.CacheCapabilities.SupportedCompressors = []reapi.Compressor_Value{reapi.Compressor_ZSTD}
	}
	if v.s.Run != nil {
		can.ExecutionCapabilities = &reapi.ExecutionCapabilities{DigestFunction: reapi.DigestFunction_SHA256, ExecEnabled: true}
	}
	return can, nil
}

func (v *services) GetActionResult(_ context.Context, r *reapi.GetActionResultRequest) (*reapi.ActionResult, error) {
	if found := v.result(r.GetActionDigest()); found != nil {
		return found, nil
	}
	return nil, status.Error(codes.NotFound, "no such result")
}

func (v *services) UpdateActionResult(_ context.Context, r *reapi.UpdateActionResultRequest) (*reapi.ActionResult, error) {
	if f := v.s.fault(); f.Full || f.ReadOnly {
		return nil, status.Error(codes.PermissionDenied, "read only")
	}
	return v.keep(r.GetActionDigest(), r.GetActionResult()), nil
}

func (v *services) FindMissingBlobs(_ context.Context, r *reapi.FindMissingBlobsRequest) (*reapi.FindMissingBlobsResponse, error) {
	missing := slices.DeleteFunc(slices.Clone(r.GetBlobDigests()), func(d *reapi.Digest) bool { return v.s.blob(d) != nil })
	return &reapi.FindMissingBlobsResponse{MissingBlobDigests: missing}, nil
}

func (v *services) BatchUpdateBlobs(_ context.Context, r *reapi.BatchUpdateBlobsRequest) (*reapi.BatchUpdateBlobsResponse, error) {
	answer := &reapi.BatchUpdateBlobsResponse{}
	for _, one := range r.GetRequests() {
		s, _ := status.FromError(v.s.take(one.GetDigest(), one.GetData()))
		answer.Responses = append(answer.Responses, &reapi.BatchUpdateBlobsResponse_Response{Digest: one.GetDigest(), Status: s.Proto()})
	}
	return answer, nil
}

func (v *services) BatchReadBlobs(_ context.Context, r *reapi.BatchReadBlobsRequest) (*reapi.BatchReadBlobsResponse, error) {
	if v.s.fault().Drips {
		return nil, status.Error(codes.Unimplemented, "blobs come in streams")
	}
	answer := &reapi.BatchReadBlobsResponse{}
	for _, d := range r.GetDigests() {
		data, err := v.s.get(d)
		s, _ := status.FromError(err)
		answer.Responses = append(answer.Responses, &reapi.BatchReadBlobsResponse_Response{Digest: d, Data: data, Status: s.Proto()})
	}
	return answer, nil
}

// named reads the name of a blob in a stream.
func named(resource string) (d *reapi.Digest, compressed bool, err error) {
	parts := strings.Split(resource, "/")
	n := len(parts)
	if n < 3 {
		return nil, false, status.Error(codes.InvalidArgument, resource)
	}
	size, err := strconv.ParseInt(parts[n-1], 10, 64)
	return &reapi.Digest{Hash: parts[n-2], SizeBytes: size}, slices.Contains(parts, "compressed-blobs"), err
}

func (v *services) Read(r *bytestream.ReadRequest, out bytestream.ByteStream_ReadServer) error {
	d, compressed, err := named(r.GetResourceName())
	if err != nil {
		return err
	}
	data, err := v.s.get(d)
	if err != nil {
		return err
	}
	f := v.s.fault()
	if compressed {
		z, err := zstd.NewWriter(nil)
		if err != nil {
			return err
		}
		if f.Swells {
			data = make([]byte, 256*len(data))
		}
		data = z.EncodeAll(data, nil)
	}
	for skip := append([]byte{0x50, 0x2a, 0x4d, 0x18, 0, 0xff, 0, 0}, make([]byte, 0xff00)...); f.Empties && compressed; {
		if err := out.Send(&bytestream.ReadResponse{Data: skip}); err != nil {
			return err
		}
	}
	for f.Drips {
		if err := out.Send(&bytestream.ReadResponse{Data: data[:1]}); err != nil {
			return err
		}
		select {
		case <-out.Context().Done():
			return out.Context().Err()
		case <-time.After(time.Millisecond):
		}
	}
	for piece := range slices.Chunk(data, 64<<10) {
		if err := out.Send(&bytestream.ReadResponse{Data: piece}); err != nil {
			return err
		}
	}
	return nil
}

func (v *services) Write(in bytestream.ByteStream_WriteServer) error {
	var name string
	var data []byte
	complete := func() bool { // without saying so
		d, compressed, err := named(name)
		return err == nil && !compressed && int64(len(data)) >= d.GetSizeBytes()
	}
	for {
		m, err := in.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if name == "" {
			name = m.GetResourceName()
		}
		if data = append(data, m.GetData()...); m.GetFinishWrite() {
			break
		}
		if complete() {
			return status.Error(codes.InvalidArgument, "finish_write: expected true")
		}
	}
	d, compressed, err := named(name)
	if err != nil {
		return err
	}
	sent := int64(len(data))
	if compressed {
		z, err := zstd.NewReader(nil)
		if err != nil {
			return err
		}
		defer z.Close()
		if data, err = z.DecodeAll(data, nil); err != nil {
			return status.Error(codes.InvalidArgument, err.Error())
		}
	}
	v.s.hear(data)
	if err := v.s.take(d, data); err != nil {
		return err
	}
	return in.SendAndClose(&bytestream.WriteResponse{CommittedSize: sent})
}
