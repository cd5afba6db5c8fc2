package search

import "sync"

// cacheBytes bounds what a cache keeps beside its newest value.
const cacheBytes = 256 << 20

// cache keeps values by key, the oldest only as long as they fit into the limit.
// Callers that ask for the same key at the same time wait for one computation.
type cache[T any] struct {
	limit float64
	lock  sync.Mutex
	known map[string]*cached[T]
	order []string
	bytes float64
}

type cached[T any] struct {
	once  sync.Once
	value T
	bytes float64
	err   error
}

// load returns the value of key, made by fill if it is not known; fill also returns
// its size. Errors are not kept.
func (c *cache[T]) load(key string, fill func() (T, float64, error)) (T, error) {
	entry := c.entry(key)
	entry.once.Do(func() {
		entry.value, entry.bytes, entry.err = fill()
		c.settle(key, entry)
	})
	return entry.value, entry.err
}

func (c *cache[T]) entry(key string) *cached[T] {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.known == nil {
		c.known = map[string]*cached[T]{}
	}
	if c.known[key] == nil {
		c.known[key] = new(cached[T])
	}
	return c.known[key]
}

// settle counts a new value and drops the oldest ones that no longer fit.
func (c *cache[T]) settle(key string, entry *cached[T]) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if entry.err != nil {
		delete(c.known, key)
		return
	}
	c.order = append(c.order, key)
	c.bytes += entry.bytes
	for c.bytes > c.limit && len(c.order) > 1 {
		c.bytes -= c.known[c.order[0]].bytes
		delete(c.known, c.order[0])
		c.order = c.order[1:]
	}
}
