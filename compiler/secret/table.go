package secret

import "bytes"

// tables looks for secrets in tables of Markdown whose header names them: the column
// below "Password".
func (s *scan) tables() {
	s.guessed = 0
	s.htmlTables()
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
		class := columnOf(s.text, start, end)
		any = any || class != noName
		columns = append(columns, class)
	})
	if !any {
		return nil
	}
	return columns
}

// columnOf returns what the column below a cell holds.
func columnOf(text []byte, start, end int) nameClass {
	if cell := bytes.TrimRight(text[start:end], " \t\r*`_"); bytes.HasSuffix(cell, []byte(")")) {
		if open := bytes.LastIndexByte(cell, '('); open > 0 {
			end = start + open // a remark, as in "Password (new)"
		}
	}
	if class := nameClassOf(bytes.Trim(text[start:end], " \t\r*`_")); class != noName {
		return class
	}
	name, _ := assignedName(text[:end], end)
	if isPairName(squeeze(name)) {
		return pairName
	}
	return nameClassOf(name)
}

// htmlTables looks for secrets in tables of HTML whose header names them.
func (s *scan) htmlTables() {
	var columns []nameClass
	n := 0
	for at := bytes.Index(s.text, []byte("<th")); at >= 0 && at+3 < len(s.text); {
		open := bytes.IndexByte(s.text[at:], '>')
		if open < 0 {
			return
		}
		start := at + open + 1
		end := start + bytes.IndexByte(s.text[start:], '<')
		if end < start {
			return
		}
		switch tag := string(bytes.ToLower(s.text[at+1 : at+3])); {
		case tag == "ta":
			columns = nil
		case tag == "tr":
			n = 0
		case tag == "th" && !isLetter(s.text[at+3]):
			if n == 0 {
				columns = nil
			}
			columns = append(columns, columnOf(s.text, start, end))
			n++
		case tag == "td":
			s.cell(start, end, n, columns, '>')
			n++
		}
		at = end
	}
}

// row looks at the cells of a row in columns of secrets.
func (s *scan) row(from, to int, columns []nameClass) {
	n := 0
	eachCell(s.text, from, to, func(start, end int) {
		s.cell(start, end, n, columns, '|')
		n++
	})
}

// cell looks at the nth cell of a row; sign is what it begins after.
func (s *scan) cell(start, end, n int, columns []nameClass, sign byte) {
	if n >= len(columns) || columns[n] == noName {
		return
	}
	if columns[n] == pairName {
		s.pair("login", start, sign)
	} else if cell := bytes.TrimSpace(s.text[start:end]); len(cell) > 0 && bytes.IndexByte(cell, ' ') < 0 {
		s.valueAt(start, "", columns[n], sign)
	}
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
