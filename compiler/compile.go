package compiler

import (
	"context"

	"github.com/packgen/packgen/compiler/pack"
)

// Compile reads a pack and writes its compiled views, source map and run record
// (agent-knowledge sections 6 to 9); in a dry run it writes nothing. All outputs
// become visible together, after everything was read; when an error is returned
// or the context ends before, the earlier outputs are untouched.
//
// Faults of the pack are diagnostics of the result, those of gates also of the
// run record. The error is for work that could not be done: a file that cannot
// be read or written, another process that holds the lock (it wraps
// publish.ErrLocked), an ended context, an error of the visitor.
func Compile(ctx context.Context, p *pack.Pack, o Options) (*Result, error) {
	o, err := o.normalise(p)
	if err != nil {
		return nil, err
	}
	c, err := open(ctx, p, o)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if r := c.unchanged(); r != nil {
		return r, nil
	}
	read, err := c.readUnits(ctx)
	if err != nil {
		return nil, err
	}
	joined, err := read.join(ctx)
	if err != nil {
		return nil, err
	}
	judged, err := joined.gate(ctx)
	if err != nil {
		return nil, err
	}
	return judged.publish(ctx)
}
