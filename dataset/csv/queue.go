package csv

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"rvflplus/dataset"
	"rvflplus/internal/memory"
)

// What bounds the memory of the chunks that are parsed at the same time.
const (
	maxThreads  = 8
	maxParsing  = 256 << 20 // bytes; a single chunk may take more
	columnBytes = 400       // about what a column of a part takes, however few its rows
)

// queue parses chunks at the same time and hands them out in the order of the
// file. What a column holds is decided by its first cell that is not missing: each
// chunk is parsed as if it had that cell, and parsed again when it turns out
// otherwise. The caller's goroutine alone reads the text, so that nothing is read
// when the caller has stopped.
type queue struct {
	form    *form
	reader  *Reader
	width   int          // chunks at a time
	parsing []chan *part // in the order of the file
	ended   bool         // the last chunk is cut
	known   []verdict    // decided by the chunks handed out; workers read it: never changed, but replaced
	levels  []*dataset.Dictionary
}

func newQueue(f *form, r *Reader) (*queue, error) {
	columns := f.width()
	width := chunksAtATime(columns)
	if bytes := width * columns * columnBytes; bytes > 4<<20 {
		if err := memory.Check(float64(bytes), fmt.Sprintf("reading %d columns of %s", columns, f.name), "drop columns with --drop"); err != nil {
			return nil, err
		}
	}
	return &queue{form: f, reader: r, width: width, known: make([]verdict, columns), levels: make([]*dataset.Dictionary, columns)}, nil
}

func chunksAtATime(columns int) int {
	width := min(runtime.GOMAXPROCS(0), maxThreads)
	if width > 1 {
		width++ // one waits while the caller works
	}
	return max(1, min(width, maxParsing/(columnBytes*max(columns, 1))))
}

// next returns the next chunk, parsed; none after ctx is cancelled.
func (q *queue) next(ctx context.Context) (*part, error) {
	for ctx.Err() == nil && !q.ended && len(q.parsing) < q.width {
		q.begin(q.reader.nextChunk())
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := <-q.parsing[0]
	q.parsing = q.parsing[1:]
	return q.settle(p)
}

func (q *queue) begin(c chunk) {
	q.ended = c.last
	parsed := make(chan *part, 1)
	q.parsing = append(q.parsing, parsed)
	known := q.known
	go func() { parsed <- q.form.parse(c, known) }()
}

// drain waits for the chunks that nobody needs any more.
func (q *queue) drain() {
	for _, parsed := range q.parsing {
		<-parsed
	}
}

// settle makes a part what it is behind those before it.
func (q *queue) settle(p *part) (*part, error) {
	if p.err != nil || !q.agrees(p) {
		p = q.form.parse(p.chunk, q.known)
	}
	if p.err != nil {
		return nil, p.err
	}
	q.learn(p)
	for i := range p.columns {
		if v := q.known[i]; v.decided && !v.numeric {
			q.renumber(i, &p.columns[i])
		}
	}
	return p, nil
}

// agrees reports whether p took its columns for what they are.
func (q *queue) agrees(p *part) bool {
	for i, v := range q.known {
		if c := &p.columns[i]; v.decided && c.decided && v.numeric != c.numeric {
			return false
		}
	}
	return true
}

// learn notes which columns p has decided.
func (q *queue) learn(p *part) {
	known := q.known
	for i := range p.columns {
		if known[i].decided || !p.columns[i].decided {
			continue
		}
		if &known[0] == &q.known[0] {
			known = slices.Clone(known)
		}
		known[i] = p.columns[i].verdict
	}
	q.known = known
}

// renumber gives categories their numbers in the whole file.
func (q *queue) renumber(i int, c *column) {
	if c.codes == nil {
		c.becomeNominal()
	}
	if q.levels[i] == nil {
		q.levels[i] = dataset.NewDictionary(nil)
	}
	number := make([]int, len(c.levels.Levels))
	for code, text := range c.levels.Levels {
		number[code] = q.levels[i].Code(text)
	}
	for row, code := range c.codes {
		if code >= 0 {
			c.codes[row] = number[code]
		}
	}
	c.levels = q.levels[i]
}
