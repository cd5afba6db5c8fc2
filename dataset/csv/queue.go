package csv

import (
	"context"
	"fmt"
	"runtime"

	"rvflplus/fault"
	"rvflplus/internal/categories"
	"rvflplus/internal/memory"
)

// Bounds of the memory of the chunks that are parsed at the same time.
const (
	maxThreads  = 8
	maxParsing  = 256 << 20 // bytes; a single chunk may take more
	columnBytes = 400       // about the memory of a column of a part, however few its rows
)

// queue parses chunks at the same time and hands them out in the order of the file. The caller's goroutine alone reads
// the text, so that nothing is read when the caller has stopped.
type queue struct {
	layout  *layout
	reader  *Reader
	width   int          // chunks at a time
	parsing []chan *part // in the order of the file
	ended   bool         // the last chunk is cut
	levels  []*categories.Coder
}

func newQueue(l *layout, r *Reader) (*queue, error) {
	columns := l.width()
	width := chunksAtATime(columns)
	if bytes := width * columns * columnBytes; bytes > 4<<20 {
		purpose := fmt.Sprintf("reading %d columns of %s", columns, l.name)
		if err := memory.Check(float64(bytes), purpose, "drop columns with %s", fault.Name("drop")); err != nil {
			return nil, err
		}
	}
	return &queue{
		layout: l, reader: r, width: width,
		levels: make([]*categories.Coder, columns),
	}, nil
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
		c := q.reader.nextChunk()
		q.ended = c.last
		parsed := make(chan *part, 1)
		q.parsing = append(q.parsing, parsed)
		go func() { parsed <- q.layout.parse(c) }()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := <-q.parsing[0]
	q.parsing = q.parsing[1:]
	return q.reconcile(p)
}

// drain waits for the chunks that nobody needs any more.
func (q *queue) drain() {
	for _, parsed := range q.parsing {
		<-parsed
	}
}

// reconcile gives a part the categories of the parts before it.
func (q *queue) reconcile(p *part) (*part, error) {
	if p.err != nil {
		return nil, p.err
	}
	for i := range p.columns {
		if c := &p.columns[i]; c.codes != nil || q.levels[i] != nil {
			q.renumber(i, c)
		}
	}
	return p, nil
}

// renumber gives categories their numbers in the whole file.
func (q *queue) renumber(i int, c *column) {
	if c.codes == nil {
		c.becomeNominal()
	}
	if q.levels[i] == nil {
		q.levels[i] = categories.New()
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
