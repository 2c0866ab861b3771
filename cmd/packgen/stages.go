package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler/amount"
)

// stages times the parts of a long run and, on a terminal, shows where it is.
type stages struct {
	w    io.Writer
	live bool // show progress as it happens

	mu    sync.Mutex
	done  []stage
	name  string
	start time.Time
	shown time.Time
	seen  int // things counted in the running stage
	width int // of the progress line on screen
}

// stage is a finished part of a run.
type stage struct {
	Name string  `json:"name"`
	MS   float64 `json:"ms"` // milliseconds
}

// progressEvery is how often the progress line may change.
const progressEvery = 100 * time.Millisecond

// newStages returns stages that show their progress on a terminal; live says that
// it is one.
func newStages(w io.Writer, live bool) *stages { return &stages{w: w, live: live} }

// begin ends the running stage and starts the next.
func (s *stages) begin(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
	s.name, s.start, s.seen = name, time.Now(), 0
	s.show(name + " …")
}

// progress says how far the running stage is.
func (s *stages) progress(format string, args ...any) {
	if !s.live {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.shown) >= progressEvery {
		s.shown = now
		s.show(s.name + " " + fmt.Sprintf(format, args...))
	}
}

// count notes one more thing done in the running stage.
func (s *stages) count(things string) {
	if !s.live {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen++
	if now := time.Now(); now.Sub(s.shown) >= progressEvery {
		s.shown = now
		s.show(fmt.Sprintf("%s %s %s", s.name, amount.Grouped(s.seen), things))
	}
}

// end ends the running stage and clears the progress line.
func (s *stages) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
	s.show("")
}

func (s *stages) close() {
	if s.name != "" {
		s.done = append(s.done, stage{s.name, float64(time.Since(s.start).Microseconds()) / 1000})
		s.name = ""
	}
}

// show replaces the progress line.
func (s *stages) show(text string) {
	if !s.live || text == "" && s.width == 0 {
		return
	}
	fmt.Fprintf(s.w, "\r%s\r%s", strings.Repeat(" ", s.width), text)
	s.width = len([]rune(text))
}

// summary is the times of all stages on one line.
func (s *stages) summary() string {
	parts := make([]string, 0, len(s.done)+1)
	total := 0.0
	for _, d := range s.done {
		parts = append(parts, d.Name+" "+amount.Milliseconds(d.MS))
		total += d.MS
	}
	return strings.Join(append(parts, "total "+amount.Milliseconds(total)), ", ")
}
