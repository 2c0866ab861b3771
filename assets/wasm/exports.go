//go:build wasip1

package main

import (
	"errors"
	"unsafe"

	"github.com/packgen/packgen/resolver/loadout"
)

// maxBuffer is the largest buffer that alloc gives, in bytes.
const maxBuffer = 512 << 20 // 512 MiB: an index.bin of about 1,000,000 entries

// What load returns.
const (
	loaded = iota
	notABuffer
	notAnIndex
)

// separator is between the wordings of a task.
const separator = 0x1E

// The bits of an options argument.
const (
	optionRecall = 1 << iota
	optionCompat
	optionWeighted
	optionUnicode
)

// instance is the state of this module instance. WebAssembly exports cannot
// carry a receiver, so it is the one variable of the program.
var instance struct {
	buffers map[uintptr][]byte // by address: what alloc gave and free has not taken
	matcher *loadout.Matcher
	excerpt *loadout.Excerpt // in place of the matcher
	layers  []loadout.Layer
	answer  []byte // the text of the last answer
}

//go:wasmexport alloc
func alloc(size int32) unsafe.Pointer {
	if size < 0 || size > maxBuffer {
		return nil
	}
	buffer := make([]byte, max(1, size))
	at := unsafe.Pointer(unsafe.SliceData(buffer))
	if instance.buffers == nil {
		instance.buffers = map[uintptr][]byte{}
	}
	instance.buffers[uintptr(at)] = buffer
	return at
}

//go:wasmexport free
func free(at unsafe.Pointer) {
	delete(instance.buffers, uintptr(at))
}

// take returns the first size bytes of the buffer at an address.
func take(at unsafe.Pointer, size int32) ([]byte, bool) {
	buffer, ok := instance.buffers[uintptr(at)]
	if !ok || size < 0 || int(size) > len(buffer) {
		return nil, false
	}
	return buffer[:size], true
}

//go:wasmexport load
func load(at unsafe.Pointer, size int32) (code int32) {
	instance.matcher, instance.excerpt = nil, nil
	if data, ok := take(at, size); ok {
		x, err := loadout.OpenExcerpt(unsafe.String(unsafe.SliceData(data), len(data)))
		if err == nil {
			delete(instance.buffers, uintptr(at))
			instance.excerpt = x
			return loaded
		}
	}
	instance.matcher, code = open(at, size)
	return code
}

//go:wasmexport keys
func keys(at unsafe.Pointer, size, options int32) uint64 {
	return answer(at, size, func(dst []byte, text string) ([]byte, error) {
		task, opts := question(text, options, nil)
		return loadout.AppendKeys(dst, loadout.Keys(task, opts, options&optionUnicode != 0)), nil
	})
}

// open opens the index.bin in a buffer and keeps the buffer.
func open(at unsafe.Pointer, size int32) (*loadout.Matcher, int32) {
	data, ok := take(at, size)
	if !ok {
		return nil, notABuffer
	}
	m, err := loadout.OpenBinary(data)
	if err != nil {
		return nil, notAnIndex
	}
	// The index points into the buffer, which from now on is its own.
	delete(instance.buffers, uintptr(at))
	return m, loaded
}

//go:wasmexport match
func match(at unsafe.Pointer, size, options int32, minScore float64) uint64 {
	return answer(at, size, func(dst []byte, text string) ([]byte, error) {
		if instance.matcher == nil {
			return dst, errNoIndex
		}
		task, opts := question(text, options, &minScore)
		results, err := instance.matcher.Match(task, opts)
		if err != nil {
			return dst, err
		}
		dst = loadout.AppendResults(append(dst, `{"results":`...), results)
		return append(dst, '}'), nil
	})
}

//go:wasmexport matchDetail
func matchDetail(at unsafe.Pointer, size, options int32, minScore float64, limit, near int32) uint64 {
	return answer(at, size, func(dst []byte, text string) ([]byte, error) {
		task, opts := question(text, options, &minScore)
		b, err := (*loadout.Breakdown)(nil), error(errNoIndex)
		switch {
		case instance.excerpt != nil:
			b, err = instance.excerpt.Detail(task, opts)
		case instance.matcher != nil:
			b, err = instance.matcher.Detail(task, opts)
		}
		if err != nil {
			return dst, err
		}
		return loadout.AppendBreakdown(dst, b, int(limit), int(near)), nil
	})
}

// question cuts a text into a task and other wordings of it.
func question(text string, bits int32, minScore *float64) (task string, opts loadout.MatchOptions) {
	opts = matchOptions(bits, minScore)
	task, from := text, 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && text[i] != separator {
			continue
		}
		if from == 0 {
			task = text[:i]
		} else {
			opts.Also = append(opts.Also, text[from:i])
		}
		from = i + 1
	}
	return task, opts
}

func matchOptions(bits int32, minScore *float64) loadout.MatchOptions {
	opts := loadout.MatchOptions{Compat: bits&optionCompat != 0, MinScore: minScore}
	switch {
	case bits&optionWeighted != 0:
		opts.Dialect = loadout.Weighted
	case bits&optionRecall != 0:
		opts.Dialect = loadout.Recall
	}
	return opts
}

// errNoIndex is the answer to a question before the first load.
var errNoIndex = errors.New("no index is loaded")

// answer runs one question about the text at an address and returns the place
// of its answer. Whatever goes wrong becomes an answer with an error.
func answer(at unsafe.Pointer, size int32, ask func(dst []byte, task string) ([]byte, error)) (place uint64) {
	defer func() {
		if recover() != nil {
			place = fail("internal error")
		}
	}()
	task, ok := take(at, size)
	if !ok {
		return fail("the text is not in a buffer")
	}
	text, err := ask(instance.answer[:0], unsafe.String(unsafe.SliceData(task), len(task)))
	if err != nil {
		return fail(err.Error())
	}
	return keep(text)
}

func fail(problem string) uint64 {
	text := append(instance.answer[:0], `{"error":`...)
	return keep(append(loadout.AppendString(text, problem), '}'))
}

// keep keeps an answer until the next one and returns its place.
func keep(text []byte) uint64 {
	instance.answer = text
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(text))))<<32 | uint64(len(text))
}
