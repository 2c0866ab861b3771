package remote

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/packgen/packgen/resolver/remote/signature"
)

// Real registries do what the stand-in of the tests does: distribution v3
// ("registry serve") and the docker-registry of Debian.
func TestPacksGoThroughRealRegistries(t *testing.T) {
	found := false
	for _, name := range []string{"registry", "docker-registry"} {
		program, err := exec.LookPath(name)
		if err != nil {
			t.Logf("SKIPPED: %s is not installed: nothing is shown about it", name)
			continue
		}
		found = true
		t.Run(name, func(t *testing.T) {
			kettle, pot := publish(t, "kettle", "It boils."), publish(t, "pot", "It holds.")
			host, o := startRegistry(t, program), options(t)
			ref := "oci://" + host + "/acme/kettle:1"
			done := push(t, o, ref, false, kettle)
			if again := push(t, o, ref, false, kettle); again[0].Digest != done[0].Digest || again[0].Uploaded != 0 {
				t.Errorf("again: %+v", again)
			}
			private, public := keyPair(t)
			made, err := inProcess{}.Ask(t.Context(), signature.Request{Sign: &signature.SignRequest{Statement: statementOf(t, kettle), Key: private}})
			if err != nil {
				t.Fatal(err)
			}
			signed := emptyCache(t, o)
			pushSigned(t, o, "oci://"+host+"/acme/signed", kettle, made.Bundle)
			signed.Signatures = Signatures{Asker: inProcess{}, Policy: &signature.Policy{Rules: []signature.Rule{{Ref: "**", Signers: []signature.Allowed{{KeyFile: "a.pub", Key: public}}}}}}
			if a := mustOpen(t, "oci://"+host+"/acme/signed", signed); a.Entry.Signature == nil || a.Entry.Signature.Key != made.Signer.Key {
				t.Errorf("%+v", a.Entry.Signature)
			}
			push(t, o, "oci://"+host+"/acme/packs", true, kettle, pot)
			for ref, want := range map[string]*sample{
				ref: kettle, "oci://" + host + "/acme/kettle@" + done[0].Digest: kettle,
				"oci://" + host + "/acme/packs#kettle": kettle, "oci://" + host + "/acme/packs#pot": pot,
			} {
				if a := mustOpen(t, ref, emptyCache(t, o)); a.Entry.Tree != want.tree || !a.Fetched {
					t.Errorf("%s: %+v", ref, a.Entry)
				}
			}
		})
	}
	if !found {
		t.Skip("no registry is installed: the stand-in alone was asked")
	}
}

// startRegistry runs a registry until the test ends.
func startRegistry(t *testing.T, program string) (host string) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host = free.Addr().String()
	free.Close()
	dir := t.TempDir()
	config := fmt.Sprintf("version: 0.1\nlog:\n  level: error\nstorage:\n  filesystem:\n    rootdirectory: %s\nhttp:\n  addr: %s\n", filepath.Join(dir, "data"), host)
	name := filepath.Join(dir, "config.yml")
	write(t, name, []byte(config))
	cmd := exec.Command(program, "serve", name)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended by itself
		<-ended
	})
	for {
		res, err := http.Get("http://" + host + "/v2/")
		if err == nil {
			res.Body.Close()
			return host
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s ended: %v", program, err)
		case <-t.Context().Done():
			t.Fatal("the registry does not answer")
		case <-time.After(20 * time.Millisecond):
		}
	}
}
