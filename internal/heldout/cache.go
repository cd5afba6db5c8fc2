package heldout

import "sync"

// cacheBytes bounds what a cache keeps beside what is in use.
const cacheBytes = 64 << 20

// cache keeps values by key, the oldest only as long as they fit into the limit or are
// in use. Callers that ask for the same key at the same time wait for one computation.
type cache[T any] struct {
	limit float64
	// discard, when not nil, is given what nobody uses any more.
	discard func(T)
	lock    sync.Mutex
	known   map[string]*cached[T]
	order   []string
	bytes   float64
}

type cached[T any] struct {
	once  sync.Once
	users int
	value T
	bytes float64
	err   error
}

// use calls fn with the value of key, made by fill if it is not known; fill also returns
// its size. The value must not be kept. Errors are not kept.
func (c *cache[T]) use(key string, fill func() (T, float64, error), fn func(T) error) error {
	entry := c.enter(key)
	defer c.leave(entry)
	entry.once.Do(func() {
		entry.value, entry.bytes, entry.err = fill()
		c.count(key, entry)
	})
	if entry.err != nil {
		return entry.err
	}
	return fn(entry.value)
}

func (c *cache[T]) enter(key string) *cached[T] {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.known == nil {
		c.known = map[string]*cached[T]{}
	}
	if c.known[key] == nil {
		c.known[key] = new(cached[T])
	}
	c.known[key].users++
	return c.known[key]
}

func (c *cache[T]) leave(entry *cached[T]) {
	c.lock.Lock()
	defer c.lock.Unlock()
	entry.users--
	c.trim()
}

// count counts a new value.
func (c *cache[T]) count(key string, entry *cached[T]) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if entry.err != nil {
		delete(c.known, key)
		return
	}
	c.order = append(c.order, key)
	c.bytes += entry.bytes
	c.trim()
}

// trim drops the oldest values that nobody uses while there are too many; the newest
// stays.
func (c *cache[T]) trim() {
	for i := 0; c.bytes > c.limit && i < len(c.order)-1; {
		entry := c.known[c.order[i]]
		if entry.users > 0 {
			i++
			continue
		}
		c.bytes -= entry.bytes
		delete(c.known, c.order[i])
		c.order = append(c.order[:i], c.order[i+1:]...)
		if c.discard != nil {
			c.discard(entry.value)
		}
	}
}
