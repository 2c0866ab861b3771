package packtest

import "fmt"

// code writes a fenced block. Names and numbers are drawn again for each, so
// that blocks are distinct, as they are in real documentation.
func (w *writer) code() {
	n, m, v := w.pick(nouns), w.pick(nouns), w.pick(verbs)
	a, b := w.rng.IntN(9000), w.rng.IntN(9000)
	switch w.rng.IntN(5) {
	case 0:
		w.fence("go", fmt.Sprintf(`// %[1]s%[4]d handles %[3]s for one %[2]s.
func %[1]s%[4]d(ctx context.Context, %[2]s []string) (int, error) {
	limit := %[5]d
	for i, name := range %[2]s {
		if err := %[3]s(ctx, name, limit); err != nil {
			return i, fmt.Errorf("%[3]s %%s: %%w", name, err)
		}
	}
	return len(%[2]s), nil
}`, n, m, v, a, b))
	case 1:
		w.fence("python", fmt.Sprintf(`def %[1]s_%[4]d(%[2]s, limit=%[5]d):
    """Run %[3]s until the limit is reached."""
    done = [item for item in %[2]s if item.state != "%[3]s"]
    if len(done) > limit:
        raise ValueError(f"{len(done)} is over {limit}")
    return {"%[1]s": done, "count": %[4]d}`, n, m, v, a, b))
	case 2:
		w.fence("yaml", fmt.Sprintf(`%[1]s:
  name: %[2]s-%[4]d
  steps:
    - run: %[3]s --limit %[5]d
      retry: true
  labels: [%[1]s, "%[3]s"]`, n, m, v, a, b))
	case 3:
		w.fence("bash", fmt.Sprintf(`#!/bin/bash
set -euo pipefail
for host in $(cat %[1]s-%[4]d.txt); do
  ssh "$host" "%[3]s --%[2]s %[5]d" || echo "failed: $host" >&2
done`, n, m, v, a, b))
	default:
		w.fence("sql", fmt.Sprintf(`SELECT %[1]s.id, count(*) AS total
FROM %[1]s JOIN %[2]s ON %[2]s.id = %[1]s.%[2]s_id
WHERE %[1]s.%[3]s > %[5]d AND %[2]s.region = 'r%[4]d'
GROUP BY %[1]s.id ORDER BY total DESC LIMIT 20;`, n, m, v, a, b))
	}
}

func (w *writer) fence(language, body string) { w.linef("```%s\n%s\n```\n", language, body) }
