package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/pack/packtest"
)

// savesMeasured is how many saves a benchmark of serve takes the median of.
const savesMeasured = 20

// BenchmarkServeSave is the time from a save to the new text in the hands of an open
// page: the file is written, the page gets the message to reload, and loads.
func BenchmarkServeSave(b *testing.B) {
	for _, packs := range []int{10, 100} {
		b.Run(fmt.Sprintf("pages=%d/packs=%d", 100*packs, packs), func(b *testing.B) {
			dir := b.TempDir()
			for i := range packs {
				name := fmt.Sprintf("pack-%03d", i)
				if err := packtest.Write(filepath.Join(dir, "packs", name), packtest.Options{Name: name, Pages: 100, Seed: uint64(i + 1)}); err != nil {
					b.Fatal(err)
				}
			}
			address := benchServe(b, dir)
			files, err := filepath.Glob(filepath.Join(dir, "packs", "pack-000", "wiki", "area-000", "*.md"))
			if err != nil || len(files) == 0 {
				b.Fatal(err, files)
			}
			page := newLivePage(b, address, strings.TrimSuffix("packs/pack-000/wiki/area-000/"+filepath.Base(files[0]), ".md")+".html")
			var times []float64
			saved := 0
			for b.Loop() {
				for range savesMeasured {
					saved++
					times = append(times, page.save(b, files[0], fmt.Sprintf("Saved for the %d. time.", saved)))
					time.Sleep(settleTime)
				}
			}
			slices.Sort(times)
			b.ReportMetric(times[len(times)/2], "ms/save")
			b.ReportMetric(times[len(times)*9/10], "ms/save-p90")
		})
	}
}

// settleTime lets a build end that goes on after the page is shown.
const settleTime = 300 * time.Millisecond

// benchServe runs the serve verb until the benchmark ends, and returns its address.
func benchServe(b *testing.B, dir string) string {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	read, write := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- runContext(ctx, []string{"-C", dir, "serve", "--json", "--port", "0"}, strings.NewReader(""), write, io.Discard)
		write.Close()
	}()
	ready := make(chan rebuildLine, 1)
	go func() {
		scan := bufio.NewScanner(read)
		for scan.Scan() {
			var l rebuildLine
			if json.Unmarshal(scan.Bytes(), &l) == nil && l.Address != "" {
				ready <- l
			}
		}
	}()
	b.Cleanup(func() {
		cancel()
		<-ended
	})
	select {
	case l := <-ready:
		return strings.Replace(l.Address, "localhost", "127.0.0.1", 1)
	case code := <-ended:
		ended <- code
		b.Fatalf("serve ends with %d", code)
	}
	return ""
}

// livePage is an open page of serve, as far as its script goes.
type livePage struct {
	address string
	told    *bufio.Scanner
}

func newLivePage(b *testing.B, address, name string) *livePage {
	b.Helper()
	p := &livePage{address: address + name}
	res, err := http.Get(address + "_packgen/events?page=" + name)
	if err != nil || res.StatusCode != http.StatusOK {
		b.Fatal(err, res)
	}
	b.Cleanup(func() { res.Body.Close() })
	p.told = bufio.NewScanner(res.Body)
	p.text(b)
	return p
}

// text loads the page.
func (p *livePage) text(b *testing.B) string {
	res, err := http.Get(p.address)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		b.Fatal(err, res.Status)
	}
	return string(text)
}

// save adds a sentence to a file, waits until the page shows it, and returns the
// milliseconds that took.
func (p *livePage) save(b *testing.B, file, sentence string) float64 {
	data, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	text, _, _ := strings.Cut(string(data), "\nSaved for the ")
	start := time.Now()
	if err := os.WriteFile(file, []byte(strings.TrimSuffix(text, "\n")+"\n\n"+sentence+"\n"), 0o666); err != nil {
		b.Fatal(err)
	}
	for p.told.Scan() {
		var m struct {
			Reload bool `json:"reload"`
		}
		message, ok := strings.CutPrefix(p.told.Text(), "data: ")
		if ok && json.Unmarshal([]byte(message), &m) == nil && m.Reload && strings.Contains(p.text(b), sentence) {
			return float64(time.Since(start).Microseconds()) / 1000
		}
	}
	b.Fatal("the stream of events has ended")
	return 0
}
