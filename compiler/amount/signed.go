package amount

// Signed writes a difference with its sign.
func Signed(n int) string {
	if n > 0 {
		return "+" + Grouped(n)
	}
	return Grouped(n)
}
