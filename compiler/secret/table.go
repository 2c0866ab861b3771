package secret

import "bytes"

// tables looks for secrets in tables of Markdown whose header names them: the column
// below "Password".
func (s *scan) tables() {
	s.guessed = 0
	var columns []nameClass // of the table that the line is in
	previous := [2]int{}
	for at := 0; at < len(s.text); {
		end := at + bytes.IndexByte(s.text[at:], '\n')
		if end < at {
			end = len(s.text)
		}
		switch {
		case bytes.IndexByte(s.text[at:end], '|') < 0:
			columns = nil
		case isDelimiterRow(s.text[at:end]):
			columns = s.columns(previous[0], previous[1])
		case columns != nil:
			s.row(at, end, columns)
		}
		previous = [2]int{at, end}
		at = end + 1
	}
}

// isDelimiterRow reports the line below the header of a table.
func isDelimiterRow(line []byte) bool {
	dash := false
	for _, c := range line {
		if c != '|' && c != '-' && c != ':' && !isBlank(c) {
			return false
		}
		dash = dash || c == '-'
	}
	return dash
}

// columns returns what the columns below a header hold; nil where none holds secrets.
func (s *scan) columns(from, to int) []nameClass {
	var columns []nameClass
	any := false
	eachCell(s.text, from, to, func(start, end int) {
		if cell := bytes.TrimRight(s.text[start:end], " \t\r*`_"); bytes.HasSuffix(cell, []byte(")")) {
			if open := bytes.LastIndexByte(cell, '('); open > 0 {
				end = start + open // a remark, as in "Password (new)"
			}
		}
		class := nameClassOf(bytes.Trim(s.text[start:end], " \t\r*`_"))
		if name, _ := assignedName(s.text, end); class == noName {
			class = nameClassOf(name)
			if isPairName(squeeze(name)) {
				class = pairName
			}
		}
		any = any || class != noName
		columns = append(columns, class)
	})
	if !any {
		return nil
	}
	return columns
}

// row looks at the cells of a row in columns of secrets.
func (s *scan) row(from, to int, columns []nameClass) {
	n := 0
	eachCell(s.text, from, to, func(start, end int) {
		if n < len(columns) && columns[n] != noName {
			if columns[n] == pairName {
				s.pair("login", start, '|')
			} else if cell := bytes.TrimSpace(s.text[start:end]); len(cell) > 0 && bytes.IndexByte(cell, ' ') < 0 {
				s.valueAt(start, "", columns[n], '|')
			}
		}
		n++
	})
}

// eachCell calls a function with the range of each cell of a row.
func eachCell(text []byte, from, to int, cell func(start, end int)) {
	for from < to && (isBlank(text[from]) || text[from] == '>') {
		from++
	}
	if from < to && text[from] == '|' {
		from++
	}
	for from < to {
		end := from
		for end < to && (text[end] != '|' || text[end-1] == '\\') {
			end++
		}
		cell(from, end)
		from = end + 1
	}
}
