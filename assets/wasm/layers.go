//go:build wasip1

package main

import (
	"errors"
	"unsafe"

	"github.com/packgen/packgen/resolver/loadout"
)

//go:wasmexport explainTask
func explainTask(at unsafe.Pointer, size int32, id unsafe.Pointer, idSize, options int32, minScore float64) uint64 {
	return answer(at, size, func(dst []byte, task string) ([]byte, error) {
		name, ok := take(id, idSize)
		if !ok {
			return dst, errors.New("the id is not in a buffer")
		}
		if instance.matcher == nil {
			return dst, errNoIndex
		}
		o, err := loadout.ExplainTask(task, string(name), instance.matcher.Index(), matchOptions(options, &minScore))
		return loadout.AppendOutlook(dst, o), err
	})
}

//go:wasmexport addLayer
func addLayer(name unsafe.Pointer, nameSize int32, index unsafe.Pointer, indexSize int32) int32 {
	text, ok := take(name, nameSize)
	if !ok {
		return notABuffer
	}
	m, code := open(index, indexSize)
	if code == loaded {
		instance.layers = append(instance.layers, loadout.Layer{Name: string(text), Index: m.Index()})
	}
	return code
}

//go:wasmexport clearLayers
func clearLayers() {
	instance.layers = nil
}

//go:wasmexport plan
func plan(at unsafe.Pointer, size, options int32, minScore float64, phase int32) uint64 {
	return answer(at, size, func(dst []byte, task string) ([]byte, error) {
		match := matchOptions(options, &minScore)
		merged, err := loadout.Merge(instance.layers, loadout.MergeOptions{Compat: match.Compat})
		if err != nil {
			return dst, err
		}
		p, err := loadout.Plan(task, merged, instance.layers, loadout.PlanOptions{Match: match, Phase: loadout.Phase(phase)})
		if err != nil {
			return dst, err
		}
		return loadout.AppendPlan(dst, p), nil
	})
}

//go:wasmexport explain
func explain(at unsafe.Pointer, size, options int32) uint64 {
	return answer(at, size, func(dst []byte, id string) ([]byte, error) {
		x, err := loadout.Explain(id, instance.layers, options&optionCompat != 0)
		return loadout.AppendExplanation(dst, x), err
	})
}
