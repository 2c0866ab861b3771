package index

// Hold sets how many drafts are held.
func (b *Builder) Hold(drafts int) { b.held = drafts }
