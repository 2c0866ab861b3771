package browser_test

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

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
)

// savesMeasured is how many saves a benchmark of serve takes the median of.
const savesMeasured = 20

// BenchmarkServeSave is the time from a save to the new text: ms/loaded until an open page
// got the message to reload and has loaded, ms/seen until Chromium has painted it. The
// first is what the server takes, the second what a person waits. Chromium paints 60 times
// a second.
func BenchmarkServeSave(b *testing.B) {
	for _, packs := range []int{10, 100} {
		b.Run(fmt.Sprintf("pages=%d/packs=%d", 100*packs, packs), func(b *testing.B) {
			dir := b.TempDir()
			for i := range packs {
				name := fmt.Sprintf("pack-%03d", i)
				oktest.Check(b, packtest.Write(filepath.Join(dir, "packs", name), packtest.Options{Name: name, Pages: 100, Seed: uint64(i + 1)}))
			}
			address := benchServe(b, dir)
			files, err := filepath.Glob(filepath.Join(dir, "packs", "pack-000", "wiki", "area-000", "*.md"))
			if err != nil || len(files) == 0 {
				b.Fatal(err, files)
			}
			name := strings.TrimSuffix("packs/pack-000/wiki/area-000/"+filepath.Base(files[0]), ".md") + ".html"
			pages := map[string]waiting{"loaded": newLivePage(b, address, name)}
			if findBrowser() != "" {
				pages["seen"] = newSeenPage(b, startBrowser(b), address+name)
			}
			times, saved := map[string][]float64{}, 0
			for b.Loop() {
				for unit, page := range pages {
					for range savesMeasured {
						saved++
						times[unit] = append(times[unit], saveTime(b, files[0], fmt.Sprintf("Saved for the %d. time.", saved), page))
						time.Sleep(settleTime)
					}
				}
			}
			for unit, list := range times {
				slices.Sort(list)
				b.ReportMetric(list[len(list)/2], "ms/"+unit)
				b.ReportMetric(list[len(list)*9/10], "ms/"+unit+"-p90")
			}
		})
	}
}

// waiting is an open page; wait returns once it shows a sentence.
type waiting interface {
	wait(b *testing.B, sentence string)
}

// saveTime adds a sentence to a file, waits until a page shows it, and returns the
// milliseconds that took.
func saveTime(b *testing.B, file, sentence string, page waiting) float64 {
	data := oktest.Value(os.ReadFile(file))(b)
	text, _, _ := strings.Cut(string(data), "\nSaved for the ")
	start := time.Now()
	oktest.Check(b, os.WriteFile(file, []byte(strings.TrimSuffix(text, "\n")+"\n\n"+sentence+"\n"), 0o666))
	page.wait(b, sentence)
	return float64(time.Since(start).Microseconds()) / 1000
}

// seenPage is a page that is open in Chromium.
type seenPage struct{ painted chan string }

// newSeenPage opens a page that says which sentence it has painted.
func newSeenPage(b *testing.B, browser context.Context, address string) *seenPage {
	b.Helper()
	p := &seenPage{painted: make(chan string, 256)}
	ctx, cancel := chromedp.NewContext(browser)
	b.Cleanup(cancel)
	err := chromedp.Listen(ctx, func(event any) {
		if e, ok := event.(*runtime.EventBindingCalled); ok && e.Name == "painted" {
			p.painted <- e.Payload
		}
	})
	if err == nil {
		_, err = chromedp.Call(ctx, runtime.AddBinding, runtime.AddBindingParams{Name: "painted"})
	}
	if err == nil {
		_, err = chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
			const say = () => requestAnimationFrame(() => setTimeout(() =>
				painted((document.querySelector("main").textContent.match(/Saved for the \d+. time/) ?? ["nothing"])[0])));
			addEventListener("DOMContentLoaded", () => {
				say();
				new MutationObserver(say).observe(document.body, {childList: true, subtree: true, characterData: true});
			});`})
	}
	if err == nil {
		err = chromedp.Do(ctx, chromedp.Navigate(address))
	}
	if err != nil {
		b.Fatalf("open %s: %v", address, err)
	}
	<-p.painted
	return p
}

func (p *seenPage) wait(b *testing.B, sentence string) {
	late := time.After(stepTime)
	for {
		select {
		case text := <-p.painted:
			if text+"." == sentence {
				return
			}
		case <-late:
			b.Fatalf("never seen: %s", sentence)
		}
	}
}

// settleTime lets a build end that is still running when the page is shown.
const settleTime = 300 * time.Millisecond

// benchServe runs the serve verb until the benchmark ends, and returns its address.
func benchServe(b *testing.B, dir string) string {
	b.Helper()
	lines := serveLines(b, dir)
	first, ok := <-lines
	if !ok {
		b.Fatal("serve has ended")
	}
	go func() {
		for range lines { // nobody else reads them
		}
	}()
	return strings.Replace(first.Address, "localhost", "127.0.0.1", 1)
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
	res := oktest.Value(http.Get(p.address))(b)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		b.Fatal(err, res.Status)
	}
	return string(text)
}

func (p *livePage) wait(b *testing.B, sentence string) {
	for p.told.Scan() {
		var m struct {
			Reload bool `json:"reload"`
		}
		message, ok := strings.CutPrefix(p.told.Text(), "data: ")
		if ok && json.Unmarshal([]byte(message), &m) == nil && m.Reload && strings.Contains(p.text(b), sentence) {
			return
		}
	}
	b.Fatal("the stream of events has ended")
}
