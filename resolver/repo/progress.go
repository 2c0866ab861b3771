package repo

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler/amount"
)

// Stages times the parts of a long run and, on a terminal, shows where it is.
type Stages struct {
	w    io.Writer
	Live bool // show progress as it happens

	mu    sync.Mutex
	Done  []Stage
	name  string
	start time.Time
	shown time.Time
	seen  int // things counted in the running stage
	width int // of the progress line on screen
}

// Stage is a finished part of a run.
type Stage struct {
	Name string  `json:"name"`
	MS   float64 `json:"ms"` // milliseconds
}

// progressEvery is how often the progress line may change.
const progressEvery = 100 * time.Millisecond

// NewStages returns stages that show their progress on a terminal; live says that
// it is one.
func NewStages(w io.Writer, live bool) *Stages { return &Stages{w: w, Live: live} }

// Begin ends the running stage and starts the next.
func (s *Stages) Begin(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
	s.name, s.start, s.seen = name, time.Now(), 0
	s.show(name + " …")
}

// Progress says how far the running stage is.
func (s *Stages) Progress(format string, args ...any) {
	if !s.Live {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.shown) >= progressEvery {
		s.shown = now
		s.show(s.name + " " + fmt.Sprintf(format, args...))
	}
}

// Count notes one more thing done in the running stage.
func (s *Stages) Count(things string) {
	if !s.Live {
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

// End ends the running stage and clears the progress line.
func (s *Stages) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
	s.show("")
}

func (s *Stages) close() {
	if s.name != "" {
		s.Done = append(s.Done, Stage{s.name, float64(time.Since(s.start).Microseconds()) / 1000})
		s.name = ""
	}
}

// show replaces the progress line.
func (s *Stages) show(text string) {
	if !s.Live || text == "" && s.width == 0 {
		return
	}
	fmt.Fprintf(s.w, "\r%s\r%s", strings.Repeat(" ", s.width), text)
	s.width = len([]rune(text))
}

// Summary is the times of all stages on one line.
func (s *Stages) Summary() string {
	parts := make([]string, 0, len(s.Done)+1)
	total := 0.0
	for _, d := range s.Done {
		parts = append(parts, d.Name+" "+amount.Milliseconds(d.MS))
		total += d.MS
	}
	return strings.Join(append(parts, "total "+amount.Milliseconds(total)), ", ")
}
