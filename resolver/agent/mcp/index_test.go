package mcp

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/repo"
)

// Clients hear by themselves, over both transports, that a pack changed, appeared or
// disappeared on disk.
func TestClientsAreNotifiedOfPacksThatChange(t *testing.T) {
	for _, transport := range []string{"stdio", "http"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			oktest.Write(t, dir, repository())
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			server := New(&repo.Repo{Paths: repo.Paths{Dir: dir, Start: dir}, Environment: func(string) string { return "" }}, Options{Version: "1"})
			done := make(chan error, 1)
			var client sdk.Transport
			fromClientClose := func() error { return nil }
			if transport == "stdio" {
				toServer, fromClient := io.Pipe()
				toClient, fromServer := io.Pipe()
				go func() { done <- Serve(ctx, server, toServer, fromServer) }()
				client = &sdk.IOTransport{Reader: toClient, Writer: fromClient}
				fromClientClose = func() error { return errors.Join(toServer.Close(), fromServer.Close()) }
			} else {
				l := oktest.Value(ListenHTTP("0"))(t)
				go func() { done <- ServeHTTP(ctx, server, l) }()
				client = &sdk.StreamableClientTransport{Endpoint: Address(l)}
			}
			updated, listed := make(chan string, 1000), make(chan bool, 1000)
			session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
				ResourceUpdatedHandler:     func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
				ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { listed <- true },
			}).Connect(ctx, client, nil)
			oktest.Check(t, err)
			t.Cleanup(func() {
				cancel()
				_ = fromClientClose()
				<-done
				session.Close()
			})
			for _, uri := range []string{"knowledge://kettle/documents/kettle.md", "knowledge://kettle/KNOWLEDGE.md", "knowledge://doubt/documents/kettle.md"} {
				oktest.Check(t, session.Subscribe(ctx, &sdk.SubscribeParams{URI: uri}))
			}
			// The file is written until the change is seen: the first look may come
			// after it.
			n := 0
			wait := func(write func(n int), seen func() bool) {
				t.Helper()
				for !seen() {
					if ctx.Err() != nil {
						t.Fatal("no notification came")
					}
					n++
					write(n)
					time.Sleep(50 * time.Millisecond)
				}
			}
			heard := map[string]bool{}
			wait(func(n int) {
				oktest.Write(t, dir, map[string]string{"packs/kettle/documents/kettle.md": "# Kettle\n" + strings.Repeat("x", n) + "\n"})
			}, func() bool {
				for len(updated) > 0 {
					heard[<-updated] = true
				}
				return heard["knowledge://kettle/documents/kettle.md"] && heard["knowledge://kettle/KNOWLEDGE.md"]
			})
			if heard["knowledge://doubt/documents/kettle.md"] {
				t.Error("a pack that did not change was reported")
			}
			has := func() bool {
				server.s.turn.Lock()
				defer server.s.turn.Unlock()
				_, ok := server.s.listed["knowledge://new/KNOWLEDGE.md"]
				return ok
			}
			wait(func(int) {
				oktest.Write(t, dir, map[string]string{"packs/new/KNOWLEDGE.md": strings.Replace(kettleEntry, "name: kettle", "name: new", 1), "packs/new/documents/kettle.md": "# New\n"})
			}, func() bool { return has() && len(listed) > 0 })
			for len(listed) > 0 {
				<-listed
			}
			// A pack that disappears while it is served ends nothing.
			wait(func(int) { _ = os.RemoveAll(filepath.Join(dir, "packs", "new")) }, func() bool { return !has() && len(listed) > 0 })
			if _, err := session.ListTools(ctx, nil); err != nil {
				t.Fatal(err)
			}
		})
	}
}
